// Carries out a verdict of middleware (X15): continues with other headers or another target, or responds.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { REFUSAL_CODES, type RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { changeHeaders, type MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { redirectBody } from '@portico/shared/wire/next/next-data.ts'
import type { ExternalHost } from '../external/external-hosts.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { readFraming } from '../proxy/headers/request-framing.ts'
import type { ClosingConnections } from '../request/closing-connections.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { ErrorSender } from '../send/error.ts'
import { locationInBrowser, type MadeResponses } from '../send/made.ts'
import { movedTo } from './guarded.ts'

export interface CarryOutDeps {
  basePath: string
  buildId: string
  errors: ErrorSender
  connections: ClosingConnections
  made: MadeResponses
  forwarded: (request: IncomingMessage) => ForwardedFacts
  /** By origin: the hosts to which the configuration lets requests pass. */
  externalHosts: ReadonlyMap<string, ExternalHost>
}

export type CarryOut = ReturnType<typeof createCarryOut>

/** `next` is called for a request that continues; otherwise the response is sent. */
export function createCarryOut(deps: CarryOutDeps) {
  const { errors, made, externalHosts } = deps

  const rewrite = (request: IncomingMessage, response: ServerResponse, target: string, next: () => void) => {
    const exchange = exchangeOf(request)
    const { pageData, guarded } = exchange
    const moved = movedTo(target)
    if (moved.kind === 'external' && !externalHosts.has(moved.origin)) {
      // SECURITY: middleware that copies an address of the client would make the gateway an open proxy.
      const text = `middleware rewrites to ${moved.origin}, which neither rewrites nor rewriteOrigins of the configuration name`
      return errors.sendThrown(request, response, new Error(text))
    }
    exchange.guarded = { responseHeaders: guarded?.responseHeaders ?? [], moved }
    // The routes of another build are not known here; its client loads the document.
    if (pageData && pageData.buildId !== deps.buildId) return errors.send(request, response, 'foreign-build')
    next()
  }

  const redirect = (request: IncomingMessage, response: ServerResponse, status: RedirectStatus, location: string) => {
    const { pageData } = exchangeOf(request)
    if (!pageData) return made.redirect(request, response, status, location)
    const shown = locationInBrowser(request, location, deps)
    const own = pageData.as === 'next-data' ? ['x-nextjs-redirect', location] : []
    made.redirectData(request, response, redirectBody(pageData.as, { location: shown, status }), own)
  }

  return (request: IncomingMessage, response: ServerResponse, verdict: MiddlewareVerdict, next: () => void) => {
    const exchange = exchangeOf(request)
    exchange.guarded = { responseHeaders: verdict.responseHeaders }
    exchange.comparesClient = true
    changeHeaders(request.headers, verdict.requestHeaders)
    if (verdict.kind === 'next') return next()
    if (verdict.kind === 'rewrite') return rewrite(request, response, verdict.target, next)
    if (verdict.kind === 'refused' && verdict.status === 404 && exchange.route?.by === 'renderer') {
      exchange.guarded = { ...exchange.guarded, moved: { kind: 'nothing' } }
      return next()
    }
    closeAfterUnread(request, response, deps.connections)
    if (verdict.kind === 'redirect') redirect(request, response, verdict.status, verdict.location)
    else if (verdict.kind === 'response') made.ofMiddleware(request, response, verdict)
    else if (verdict.status === 404) errors.send(request, response, 'not-found')
    else {
      const { status, document } = verdict
      errors.send(request, response, REFUSAL_CODES[status], document === undefined ? {} : { document })
    }
  }
}

/**
 * The response is the last one of a connection whose request has a body that is not read: what follows would be read as
 * another request.
 */
export function closeAfterUnread(
  request: IncomingMessage,
  response: ServerResponse,
  connections: ClosingConnections,
): void {
  if (request.complete || readFraming(request)?.kind === 'none') return
  connections.closeAfter(request, response)
  request.resume()
}
