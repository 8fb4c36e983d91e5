// Limits the running requests of one client behind a trusted proxy (G8). The proxy's connections are exempt from the
// limits of the listener, and one client must not take all that the proxy may.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NextFunction } from 'express'
import { networkOf } from '../shared/node/network-of.ts'
import type { RefusalReason } from '../shared/node/refusals.ts'
import { exchangeOf } from './exchange.ts'
import type { ForwardedFacts } from './proxy/forwarded.ts'
import type { ErrorSender } from './send-error.ts'

export interface CrowdLimitDeps {
  most: number
  isTrusted: (address: string) => boolean
  forwarded: (request: IncomingMessage) => ForwardedFacts
  errors: ErrorSender
  noteRefusal: (reason: RefusalReason) => void
}

/** Creates the middleware. */
export function createCrowdLimit({ most, isTrusted, forwarded, errors, noteRefusal }: CrowdLimitDeps) {
  const running = new Map<string, number>()
  return function refuseCrowd(request: IncomingMessage, response: ServerResponse, next: NextFunction) {
    if (!isTrusted(request.socket.remoteAddress ?? '')) return next()
    const { client } = forwarded(request)
    // Requests of the proxies themselves, as their health checks.
    if (isTrusted(client)) return next()
    const network = networkOf(client)
    const count = running.get(network) ?? 0
    if (count >= most) {
      noteRefusal('requests-per-address')
      exchangeOf(request).refusal = 'requests-per-address'
      // The connection is the proxy's: other clients use it next.
      return errors.send(request, response, 'overloaded', { headers: { 'retry-after': '1' } })
    }
    running.set(network, count + 1)
    response.once('close', () => {
      const left = (running.get(network) ?? 1) - 1
      if (left > 0) running.set(network, left)
      else running.delete(network)
    })
    next()
  }
}
