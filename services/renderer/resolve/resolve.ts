// Reads an HTTP request for the renderer: for which client it is, whether a program without a browser sent it, which page it
// names, and whether the page takes it: GET and HEAD, or what the manifest's semantics add (E6, X7), but no request of
// another site that may change data (A4). SECURITY: a resolution of the gateway counts only for this version of the pages
// and a page of this build (passed-route.ts). Cookies are left to the kit, middleware to middleware/.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import type { ErrorContent } from '@portico/shared/kit/http/errors.ts'
import { createAbortError } from '@portico/shared/kit/observe/stray-errors.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { NO_TARGET } from '@portico/shared/wire/constants.ts'
import type { PassedRoute } from '@portico/shared/wire/passed-route.ts'
import { clientFacts } from '@portico/shared/wire/patterns/conditions.ts'
import { verdictOf } from '@portico/shared/wire/policy/origin-check.ts'
import { takesBody } from '@portico/shared/wire/routing/page-methods.ts'
import { createPageResolver, type Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'
import { isReading, type PageRequest } from '../outcome/outcome.ts'
import { createPassedRouteReader, type PassedRouteFault } from './passed-route.ts'

export interface ResolvedPage {
  resolution: Resolution
  by: 'gateway' | 'renderer'
  /** Why the gateway's resolution was refused. */
  fault?: PassedRouteFault
}

/** `version` is that of the pages (C2). */
export function createResolver(manifest: Manifest, version: string) {
  const resolveHere = createOwnResolver(manifest)
  const trustedRoute = createPassedRouteReader(manifest, version)
  return {
    /** Finds the page as the gateway does. */
    resolveHere,
    /**
     * The page of a request: as the gateway found it, if it found it for this version, else as this renderer does (W9).
     */
    resolve(request: PageRequest, passed: PassedRoute | 'malformed'): ResolvedPage {
      if (passed === 'malformed') return { resolution: resolveHere(request), by: 'renderer', fault: passed }
      if (passed.version === undefined) return { resolution: resolveHere(request, passed.moved), by: 'renderer' }
      const read = trustedRoute(passed, request.pathname, request.search)
      if (typeof read !== 'string') return { resolution: read, by: 'gateway' }
      return { resolution: resolveHere(request, passed.moved), by: 'renderer', fault: read }
    },
  }
}

function createOwnResolver(manifest: Manifest) {
  const resolvePath = createPageResolver(manifest)
  return (request: PageRequest, target?: string): Resolution => {
    if (target === NO_TARGET) return { kind: 'no-match' }
    const { pathname, search } = target === undefined ? request : splitTarget(target)
    return resolvePath(pathname, search, clientFacts({ ...request, search }))
  }
}

/** The work for a response: it stops when the connection closes before the end of the response. */
export function workFor(response: ServerResponse, reason: string): AbortController {
  const controller = new AbortController()
  const onClose = () => {
    if (!response.writableFinished) controller.abort(createAbortError(reason))
  }
  // The client may have left while its middleware ran.
  if (isClientGone(response)) onClose()
  else response.on('close', onClose)
  return controller
}

/** The public origin that the gateway reports (only the gateway reaches this port); undefined for a malformed host. */
export function originOf(headers: IncomingHttpHeaders): string | undefined {
  const protocol = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const origin = `${protocol}://${headers['x-forwarded-host'] || headers.host || 'localhost'}`
  return URL.canParse(origin) ? origin : undefined
}

export const NOT_TAKEN: ErrorContent = { code: 'method-not-allowed', headers: { allow: 'GET, HEAD' } }

/** Why a page does not take the request; undefined for a request that it takes. */
export function refusalOf(
  { method = 'GET', headers }: IncomingMessage,
  resolution: Resolution,
  { publicOrigins, manifest }: { publicOrigins: readonly string[]; manifest: Pick<Manifest, 'semantics'> },
): ErrorContent | undefined {
  if (isReading(method)) return undefined
  if (!takesBody(resolution, { method, headers }, manifest.semantics)) return NOT_TAKEN
  if (method === 'OPTIONS' || resolution.kind !== 'page' || resolution.entry.crossOrigin) return undefined
  const verdict = verdictOf(headers, publicOrigins)
  return verdict.kind === 'refuse' ? { code: 'forbidden', message: `Refused: ${verdict.reason}.` } : undefined
}

/** The list is one long expression: a look-up costs a twentieth of it. */
const MOST_KNOWN = 1000

export type IsCrawler = (userAgent: string) => boolean

/**
 * Whether a User-Agent names a crawler or another program without a browser. Chrome without a window is a browser: its
 * tests see the responses of other browsers. A crawler that runs Chrome adds a name of its own.
 */
export function createCrawlerTest(): IsCrawler {
  // SECURITY: bounded, because clients choose the value; Node limits its length with the head.
  const known = new LRUCache<string, boolean>({ max: MOST_KNOWN })
  return (userAgent) => {
    let isCrawler = known.get(userAgent)
    if (isCrawler === undefined) {
      isCrawler = isbot(userAgent.replace('HeadlessChrome/', 'Chrome/'))
      known.set(userAgent, isCrawler)
    }
    return isCrawler
  }
}
