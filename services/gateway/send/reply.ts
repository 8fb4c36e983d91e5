// What the gateway responds, as a value: the steps decide it, and this file sends it. A step that leaves the request to the
// next one returns undefined.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import type { ErrorCode, ErrorContent } from '@portico/shared/kit/http/errors.ts'
import type { Caching } from '@portico/shared/wire/caching.ts'
import type { MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import type { NextFunction } from 'express'
import type { PageResponder } from '../cache/respond-page.ts'
import { readFraming } from '../proxy/headers/request-framing.ts'
import type { Passage } from '../proxy/passage.ts'
import type { ClosingConnections } from '../request/closing-connections.ts'
import type { ErrorSender } from './error.ts'
import { createFileSender, type StoredFile } from './file.ts'
import type { HeadWriter } from './head.ts'
import { createMadeResponses } from './made.ts'

/**
 * `isLast`: what follows on the connection cannot be trusted, and the connection is closed. `leavesBody`: the body of the
 * request is not read; if there is one, the connection is closed.
 */
export type Reply = { isLast?: boolean; leavesBody?: boolean } & (
  | { kind: 'error'; code: ErrorCode; extra?: Partial<ErrorContent> }
  | { kind: 'thrown'; error: unknown }
  /** `isForThisClient`: the client's languages chose it. */
  | { kind: 'redirect'; status: number; location: string; isForThisClient?: boolean }
  /** A redirect as page data. `own` is a flat list of headers in addition. */
  | { kind: 'redirect-data'; body: string; own?: readonly string[] }
  /** What middleware responded. */
  | { kind: 'made'; verdict: Extract<MiddlewareVerdict, { kind: 'response' }> }
  | { kind: 'file'; file: StoredFile; caching: Caching; isForAllOrigins?: boolean }
  /** From the page cache, or what a renderer responds. */
  | ({ kind: 'page' } & Passage)
  | ({ kind: 'upstream' } & Passage)
  /** What another host responds to which a rewrite leads. */
  | ({ kind: 'outside' } & Passage)
  /** The connection ends with the response to an earlier request. */
  | { kind: 'none' }
)

/** Decides, or returns undefined, in the same turn where nothing is waited for. */
export type Step = (
  request: IncomingMessage,
  response: ServerResponse,
) => Reply | undefined | Promise<Reply | undefined>

type Pass = (request: IncomingMessage, response: ServerResponse, passage: Passage) => void

export type SendReply = (request: IncomingMessage, response: ServerResponse, reply: Reply) => unknown

interface ReplySenderDeps {
  head: HeadWriter
  buildId: string
  errors: ErrorSender
  connections: ClosingConnections
  /** Through a service, and through another host. */
  proxy: { pass: Pass; passOut: Pass }
  /** The page cache. */
  respondPage: PageResponder | undefined
}

export function createReplySender(deps: ReplySenderDeps): SendReply {
  const { head, errors, connections, proxy, respondPage } = deps
  const sendFile = createFileSender(head)
  const made = createMadeResponses(deps)
  return (request, response, reply) => {
    const leavesBody = reply.leavesBody === true && !isBodyRead(request)
    if (reply.isLast || leavesBody) connections.closeAfter(request, response)
    if (leavesBody) request.resume()
    switch (reply.kind) {
      case 'error':
        return errors.send(request, response, reply.code, reply.extra)
      case 'thrown':
        return errors.sendThrown(request, response, reply.error)
      case 'redirect':
        return made.redirect(request, response, reply)
      case 'redirect-data':
        return made.redirectData(request, response, reply)
      case 'made':
        return made.ofMiddleware(request, response, reply.verdict)
      case 'file':
        return sendFile(request, response, reply)
      case 'page':
        if (!respondPage?.(request, response, reply)) proxy.pass(request, response, reply)
        return undefined
      case 'upstream':
        return proxy.pass(request, response, reply)
      case 'outside':
        return proxy.passOut(request, response, reply)
      case 'none':
        return undefined
    }
  }
}

/** What follows an unread body would be read as another request. */
function isBodyRead(request: IncomingMessage): boolean {
  return request.complete || readFraming(request)?.kind === 'none'
}

/** The step as middleware of express, which is left out when the client is gone (L3). */
export function asMiddleware(step: Step, send: SendReply) {
  return (request: IncomingMessage, response: ServerResponse, next: NextFunction): unknown => {
    if (isClientGone(response)) return undefined
    const reply = step(request, response)
    if (reply === undefined) return next()
    if (!(reply instanceof Promise)) return send(request, response, reply)
    return reply.then((decided) => {
      // The client left meanwhile, or its body was refused.
      if (isClientGone(response) || response.headersSent) return undefined
      return decided === undefined ? next() : send(request, response, decided)
    })
  }
}
