// The running requests of one client (A1).

import { expect, it } from 'vitest'
import { identifyClient } from './client-identity.ts'
import { countedAs, createClientLimit } from './client-limit.ts'

it('A1 a client has a limited number of places, which are released', () => {
  const limit = createClientLimit(2)
  const [one, two] = [limit.enter('a'), limit.enter('a')]
  expect(limit.enter('a')).toBeUndefined()
  expect(limit.enter('b')).toBeTypeOf('function')
  one?.()
  expect(limit.enter('a')).toBeTypeOf('function')
  two?.()
})

it('A1 a client is counted by its cookie with any counter, else by address and User-Agent', () => {
  const counted = (cookies: Record<string, string>, userAgent = 'T') =>
    countedAs(identifyClient({ cookies, key: undefined }, 's'), { address: '192.0.2.1', userAgent })
  const id = 'v'.repeat(24)
  expect(counted({ 'portico-visitor': `${id}.1` })).toBe(counted({ 'portico-visitor': `${id}.2` }, 'U'))
  expect(counted({})).toBe(counted({}))
  expect(counted({})).not.toBe(counted({}, 'U'))
})
