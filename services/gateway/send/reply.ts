// Sends what the steps decided. Responses that the gateway makes itself are redirects of rules and of middleware, the
// same as page data (W2, X2), and the response that middleware made (X15).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import { CACHE_NONE } from '@portico/shared/wire/caching.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import type { MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import type { NextFunction } from 'express'
import type { Passage, SendReply, Step } from '../exchange/exchange.ts'
import { readFraming } from '../headers/headers.ts'
import type { ClosingConnections } from './closing-connections.ts'
import type { ErrorSender } from './error.ts'
import { createFileSender } from './file.ts'
import type { HeadWriter } from './head.ts'
import type { PageResponder } from './page.ts'

function createMadeResponses({ head, buildId }: { head: HeadWriter; buildId: string }) {
  return {
    redirect(
      request: IncomingMessage,
      response: ServerResponse,
      { status, location, isForThisClient = false }: { status: number; location: string; isForThisClient?: boolean },
    ): void {
      head.write(request, response, {
        status,
        headers: ['location', location, 'content-length', '0'],
        has: (name) => name === 'location' || name === 'content-length',
        caching: isForThisClient ? { by: 'response', text: CACHE_NONE } : { by: 'if-compared' },
      })
      response.end()
    },
    redirectData(
      request: IncomingMessage,
      response: ServerResponse,
      { body, own = [] }: { body: string; own?: readonly string[] },
    ): void {
      const type = ['content-type', 'application/json; charset=utf-8']
      const headers = [...type, 'content-length', String(Buffer.byteLength(body)), ...own, HEADERS.build, buildId]
      // A rule for the page may allow a cache to store its redirects, and a cache could store a 200 that says nothing.
      const caching = { by: 'unless-said', text: CACHE_NONE } as const
      head.write(request, response, { status: 200, headers, has: isType, caching })
      response.end(request.method === 'HEAD' ? undefined : body)
    },
    /** What middleware responded; its headers are those of the verdict. */
    ofMiddleware(
      request: IncomingMessage,
      response: ServerResponse,
      { status, body, responseHeaders }: Extract<MiddlewareVerdict, { kind: 'response' }>,
    ): void {
      const bytes = Buffer.from(body, 'base64')
      // RFC 9110 section 15: these have no content.
      const isEmpty = status === 204 || status === 205 || status === 304
      const headers = isEmpty ? [] : ['content-length', String(bytes.length)]
      const type = responseHeaders.find(([name]) => isType(name))
      if (type && !isEmpty) headers.push(...type)
      head.write(request, response, { status, headers, has: isType, caching: { by: 'unless-said', text: CACHE_NONE } })
      response.end(isEmpty || request.method === 'HEAD' ? undefined : bytes)
    },
  }
}

const isType = (name: string) => name === 'content-type'

type Pass = (request: IncomingMessage, response: ServerResponse, passage: Passage) => void

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
