// Limits the running requests of one client behind a trusted proxy (G8). The proxy's connections are exempt from the
// limits of the listener, so without this limit one client could use all of them.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { networkOf } from '@portico/shared/kit/http/network-of.ts'
import { whenClosed } from '@portico/shared/kit/http/when-closed.ts'
import { createRunningRequests } from '@portico/shared/kit/life/running-requests.ts'
import type { RefusalReason } from '@portico/shared/kit/observe/refusals.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import type { Reply } from '../send/reply.ts'
import { exchangeOf } from './exchange.ts'

interface RequestLimitDeps {
  most: number
  isTrusted: (address: string) => boolean
  forwarded: (request: IncomingMessage) => ForwardedFacts
  noteRefusal: (reason: RefusalReason) => void
}

/** Creates the step. */
export function createRequestLimit({ most, isTrusted, forwarded, noteRefusal }: RequestLimitDeps) {
  const begin = createRunningRequests(most)
  return function limitRequests(request: IncomingMessage, response: ServerResponse): Reply | undefined {
    if (!isTrusted(request.socket.remoteAddress ?? '')) return undefined
    const { client } = forwarded(request)
    // Requests that the proxies send themselves, for example health checks.
    if (isTrusted(client)) return undefined
    const end = begin(networkOf(client))
    if (end) {
      whenClosed(response, end)
      return undefined
    }
    noteRefusal('requests-per-address')
    exchangeOf(request).notes.refusal = 'requests-per-address'
    // The connection stays open: the proxy uses the connection for other clients.
    return { kind: 'error', code: 'overloaded', extra: { headers: { 'retry-after': '1' } } }
  }
}
