import { expect, it } from 'vitest'
import { HOP_BY_HOP, isDropped, isReservedRequestHeader, LOOP_HEADER } from './request-headers.ts'

it('X15 G8 middleware changes no header that belongs to the gateway', () => {
  for (const name of ['host', 'x-forwarded-proto', 'portico-action', 'idempotency-key', 'x-middleware-subrequest'])
    expect([name, isReservedRequestHeader(name)]).toEqual([name, true])
  for (const name of [...HOP_BY_HOP, 'content-length', 'expect', 'forwarded', 'true-client-ip'])
    expect([name, isReservedRequestHeader(name), isDropped(name)]).toEqual([name, true, true])
  for (const name of ['cookie', 'authorization', 'accept-language', 'x-user'])
    expect([name, isReservedRequestHeader(name)]).toEqual([name, false])
})

it('X15 X4 the token against loops is forwarded and middleware does not change it', () => {
  expect([isDropped(LOOP_HEADER), isReservedRequestHeader(LOOP_HEADER)]).toEqual([false, true])
})
