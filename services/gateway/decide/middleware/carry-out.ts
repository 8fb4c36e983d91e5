// Carries out a verdict of middleware (X15): continues with other headers or another target, or responds.

import type { IncomingMessage } from 'node:http'
import { REFUSAL_CODES, type RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { changeHeaders, type MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { redirectBody } from '@portico/shared/wire/next/next-data.ts'
import { exchangeOf, movedTo, type Reply } from '../../exchange/exchange.ts'
import { type ForwardedFacts, locationInBrowser } from '../../headers/headers.ts'
import type { ExternalHost } from '../../replicas/replicas.ts'

export interface CarryOutDeps {
  basePath: string
  buildId: string
  forwarded: (request: IncomingMessage) => ForwardedFacts
  /** By origin: the hosts to which the configuration lets requests pass. */
  externalHosts: ReadonlyMap<string, ExternalHost>
}

export type CarryOut = ReturnType<typeof createCarryOut>

/** Returns what is responded; undefined for a request that continues. */
export function createCarryOut(deps: CarryOutDeps) {
  const rewrite = (request: IncomingMessage, target: string): Reply | undefined => {
    const exchange = exchangeOf(request)
    const { pageData, guarded } = exchange
    const moved = movedTo(target)
    if (moved.kind === 'external' && !deps.externalHosts.has(moved.origin)) {
      // SECURITY: middleware that copies an address of the client would make the gateway an open proxy.
      const text = `middleware rewrites to ${moved.origin}, which neither rewrites nor rewriteOrigins of the configuration name`
      return { kind: 'thrown', error: new Error(text) }
    }
    exchange.guarded = { ...guarded!, moved }
    // The routes of another build are not known here; its client loads the document.
    return pageData && pageData.buildId !== deps.buildId ? { kind: 'error', code: 'foreign-build' } : undefined
  }

  const redirect = (request: IncomingMessage, status: RedirectStatus, location: string): Reply => {
    const { pageData } = exchangeOf(request)
    if (!pageData) return { kind: 'redirect', status, location, leavesBody: true }
    const shown = locationInBrowser(request, location, deps)
    const own = pageData.as === 'next-data' ? ['x-nextjs-redirect', location] : []
    const body = redirectBody(pageData.as, { location: shown, status })
    return { kind: 'redirect-data', body, own, leavesBody: true }
  }

  return (request: IncomingMessage, verdict: MiddlewareVerdict): Reply | undefined => {
    const exchange = exchangeOf(request)
    exchange.guarded = { verdict: verdict.kind, responseHeaders: verdict.responseHeaders }
    exchange.comparesClient = true
    changeHeaders(request.headers, verdict.requestHeaders)
    if (verdict.kind === 'next') return undefined
    if (verdict.kind === 'rewrite') return rewrite(request, verdict.target)
    if (verdict.kind === 'refused' && verdict.status === 404 && exchange.found.route?.by === 'renderer') {
      exchange.guarded = { ...exchange.guarded, moved: { kind: 'nothing' } }
      return undefined
    }
    if (verdict.kind === 'redirect') return redirect(request, verdict.status, verdict.location)
    if (verdict.kind === 'response') return { kind: 'made', verdict, leavesBody: true }
    if (verdict.status === 404) return { kind: 'error', code: 'not-found', leavesBody: true }
    const { status, document } = verdict
    const extra = document === undefined ? {} : { document }
    return { kind: 'error', code: REFUSAL_CODES[status], extra, leavesBody: true }
  }
}
