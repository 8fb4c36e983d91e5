// Limits how often one client may send requests that change something (G8): before middleware, and before the body is read.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import { type ClientLimit, retryAfterOf } from '@portico/shared/kit/limits/client-limit.ts'
import type { RefusalReason } from '@portico/shared/kit/observe/refusals.ts'
import type { NextFunction } from 'express'
import { closeAfterUnread } from '../middleware/carry-out.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import type { ErrorSender } from '../send/error.ts'
import type { ClosingConnections } from './closing-connections.ts'
import { exchangeOf } from './exchange.ts'

export interface PostLimitDeps {
  limit: ClientLimit
  isTrusted: (address: string) => boolean
  forwarded: (request: IncomingMessage) => ForwardedFacts
  errors: ErrorSender
  connections: ClosingConnections
  noteRefusal: (reason: RefusalReason) => void
}

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Creates the middleware. */
export function createPostLimit({ limit, isTrusted, forwarded, errors, connections, noteRefusal }: PostLimitDeps) {
  return function limitPosts(request: IncomingMessage, response: ServerResponse, next: NextFunction) {
    const exchange = exchangeOf(request)
    if (SAFE.has(exchange.method)) return next()
    const { client } = forwarded(request)
    // Requests that the proxies send themselves.
    if (isTrusted(client)) return next()
    limit
      .take(client)
      .then((waitMs) => {
        if (isClientGone(response) || response.headersSent) return
        if (waitMs === 0) return next()
        noteRefusal('post-rate')
        exchange.refusal = 'post-rate'
        closeAfterUnread(request, response, connections)
        errors.send(request, response, 'too-many-requests', { headers: { 'retry-after': retryAfterOf(waitMs) } })
      })
      .catch((error: unknown) => errors.sendThrown(request, response, error))
  }
}
