// Limits of one client (G8): running requests behind a trusted proxy, whose connections are exempt from the limits of
// the listener, and how often requests may change something, before middleware and before a body is read.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { networkOf } from '@portico/shared/kit/http/network-of.ts'
import { createRunningRequests } from '@portico/shared/kit/life/running-requests.ts'
import { type ClientLimit, retryAfterOf } from '@portico/shared/kit/limits/client-limit.ts'
import type { RefusalReason } from '@portico/shared/kit/observe/refusals.ts'
import { whenClosed } from '@portico/shared/kit/when-closed.ts'
import { exchangeOf, type Reply } from '../exchange/exchange.ts'
import type { ForwardedFacts } from '../headers/headers.ts'

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

export interface PostLimitDeps {
  limit: ClientLimit
  isTrusted: (address: string) => boolean
  forwarded: (request: IncomingMessage) => ForwardedFacts
  noteRefusal: (reason: RefusalReason) => void
}

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Creates the step. */
export function createPostLimit({ limit, isTrusted, forwarded, noteRefusal }: PostLimitDeps) {
  return function limitPosts(request: IncomingMessage): Promise<Reply | undefined> | undefined {
    const exchange = exchangeOf(request)
    if (SAFE.has(exchange.method)) return undefined
    const { client } = forwarded(request)
    // Requests that the proxies send themselves.
    if (isTrusted(client)) return undefined
    return limit.take(client).then((waitMs) => {
      if (waitMs === 0) return undefined
      noteRefusal('post-rate')
      exchange.notes.refusal = 'post-rate'
      const extra = { headers: { 'retry-after': retryAfterOf(waitMs) } }
      return { kind: 'error', code: 'too-many-requests', extra, leavesBody: true }
    })
  }
}
