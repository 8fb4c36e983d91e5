// The borders of http-proxy-middleware that no request of a client reaches through the steps.

import type { IncomingMessage } from 'node:http'
import { expect, it, vi } from 'vitest'
import { madeRequest, TakenResponse } from '../why/made-request.ts'
import { createHop, type Proxied } from './hop.ts'

it('E7 a path that the library cannot parse is reported once, and is sent to no replica', async () => {
  const request = madeRequest({ method: 'GET', url: '//[', headers: { host: 'a' }, client: '127.0.0.1', run: false })
  const onUnreadable = vi.fn()
  const others = {
    onUpstreamRequest: vi.fn(),
    onUpstreamResponse: vi.fn(),
    onUpstreamError: vi.fn(),
    dispatch: vi.fn(),
  }
  const proxied: Proxied = {
    ...{
      request,
      response: new TakenResponse(request),
      framing: { kind: 'none' },
      body: undefined,
      replica: undefined,
    },
    ...others,
    onUnreadable,
  }
  createHop((each: IncomingMessage) => (each === request ? proxied : undefined)).send(proxied)
  await expect.poll(() => onUnreadable.mock.calls.length).toBe(1)
  for (const handler of Object.values(others)) expect(handler).not.toHaveBeenCalled()
})
