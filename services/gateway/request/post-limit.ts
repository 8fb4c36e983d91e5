// Limits how often one client may send requests that change something (G8): before middleware, and before the body is read.

import type { IncomingMessage } from 'node:http'
import { type ClientLimit, retryAfterOf } from '@portico/shared/kit/limits/client-limit.ts'
import type { RefusalReason } from '@portico/shared/kit/observe/refusals.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import type { Reply } from '../send/reply.ts'
import { exchangeOf } from './exchange.ts'

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
