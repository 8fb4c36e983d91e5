// What rendering needs of the service, and what all kinds of page share: the request's context for code of the site, the data for
// hydration, and the log of failures. Each failure has one log line with one digest, and is reported to the site. The
// context has nothing of a client in a page for all clients. Rendering is left to render/.

import { randomBytes } from 'node:crypto'
import type { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import type { Policies } from '@portico/shared/kit/config/policies.ts'
import type { PublicEnvValues } from '@portico/shared/kit/config/site-environment.ts'
import type { Feed } from '@portico/shared/kit/feed/feed.ts'
import { ModuleFault } from '@portico/shared/kit/http/errors.ts'
import { createDigest } from '@portico/shared/kit/http/request-id.ts'
import type { AfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { ReportRequestError } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { isPerRequest, type Manifest, type PageEntry } from '@portico/shared/wire/build-output.ts'
import type { RequestContext, ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { FeedPosition } from '@portico/shared/wire/invalidation.ts'
import { localeNames } from '@portico/shared/wire/locales/locales.ts'
import type { HydrationData, RouteFiles } from '@portico/shared/wire/page-data.ts'
import { splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { versionOf } from '@portico/shared/wire/routing/version.ts'
import type { PageCache } from '../cache/cache.ts'
import { localeOf, type PageCacheVerdict, type PageRequest } from '../outcome/outcome.ts'
import type { Prerendered } from '../prerendered/prerendered.ts'

export interface RenderDeps {
  manifest: Manifest
  bundle: ServerBundle
  cache: PageCache
  feed: Feed
  /** Work of the site's code behind responses. */
  after: AfterTasks
  /** Absent under development. */
  dataCache?: ReturnType<typeof createDataCache> | undefined
  publicEnv: PublicEnvValues
  /** The content security policies, with the values of this environment. */
  policies: Policies
  /** Signs bound arguments of forms (A3). */
  signBound: (actionId: string, args: unknown[]) => string
  fetchSite: RequestContext['fetchSite']
  /** The origin of the site in pages that are the same for all clients. */
  publicOrigin?: string | undefined
  log: Log
  /** Milliseconds, only for differences. */
  now: () => number
  /** Counts how each request for a page of the page cache was served. */
  countVerdict?: (verdict: PageCacheVerdict) => void
  /** Pages that the build has rendered (X9). */
  prerendered?: Prerendered | undefined
  /** The build observes which values of the running site a page reads. */
  observed?: (context: RequestContext) => RequestContext
  /** `onRequestError` of the site. */
  onRequestError?: ReportRequestError | undefined
  /** Time limits that tests shorten, and builds set. */
  dataTimeoutMs?: number | undefined
  middlewareLimitMs?: number | undefined
  renderTimeoutMs?: number | undefined
}

/** The version of the pages that are rendered with these dependencies (C2). */
export function versionOfPages({ manifest: { buildId, prerendered, basePath }, publicEnv }: RenderDeps): string {
  return versionOf({ buildId, publicEnvHash: publicEnv.hash, prerendered, basePath })
}

/** The files of a screen that the app folder lacks: it needs only those that all routes share. */
export const NO_FILES: RouteFiles = { module: '', imports: [], styles: [] }

export type Hydrated = Pick<HydrationData, 'route' | 'params' | 'props' | 'status' | 'url'> &
  Partial<Pick<HydrationData, 'formState' | 'digest' | 'isFallback' | 'isReady'>> & {
    /** Default: that of `url`. */
    locale?: string | undefined
  }

export function hydrationOf({ manifest, publicEnv }: RenderDeps, { locale, ...page }: Hydrated): HydrationData {
  const entry = entryOf(manifest, page.route)
  return {
    buildId: manifest.buildId,
    basePath: manifest.basePath,
    ...(manifest.assetPrefix !== undefined && { assetPrefix: manifest.assetPrefix }),
    trailingSlash: manifest.trailingSlash,
    files: entry?.files ?? NO_FILES,
    publicEnv: publicEnv.values,
    // By kind of page and not by request, as in Next.js: authors rely on the same first view at each request.
    isReady: entry !== undefined && isPerRequest(entry.data),
    ...localeNames(manifest.i18n, locale ?? localeOfUrl(manifest, page.url)),
    ...page,
  }
}

function localeOfUrl(manifest: Manifest, url: string): string | undefined {
  return localeOf(manifest, stripBasePath(splitTarget(url).pathname, manifest.basePath) ?? '/')
}

const entriesOf = new WeakMap<Manifest, Map<string, PageEntry>>()

/** The entry of a page or screen. */
export function entryOf(manifest: Manifest, pattern: string): PageEntry | undefined {
  let entries = entriesOf.get(manifest)
  if (!entries) {
    entries = new Map([...manifest.screens, ...manifest.pages].map((entry) => [entry.pattern, entry]))
    entriesOf.set(manifest, entries)
  }
  return entries.get(pattern)
}

export function contextOf(
  deps: RenderDeps,
  request: PageRequest,
  kind: 'page' | 'static-page' | 'middleware',
  name: string,
): RequestContext {
  const { requestId, url, origin, headers, cookies, cookieSeal, draft, signal, after } = request
  const context: RequestContext = {
    kind,
    name,
    requestId,
    url,
    origin,
    headers,
    cookies,
    setCookies: [],
    signal,
    fetchSite: deps.fetchSite,
    publicEnv: deps.publicEnv.values,
    // useActionState binds its state: forms of cacheable pages are signed too. The signature depends on no client.
    signBound: deps.signBound,
    ...(deps.dataCache && { dataCache: deps.dataCache({ needed: neededBy(request) }) }),
    ...(kind === 'page' && { createSubmissionKey }),
    ...(kind !== 'static-page' && cookieSeal && { cookieSeal }),
    ...(draft && { draft }),
    ...(after && { after: (name, work) => after(name, (signal) => work({ signal })) }),
    readNonce() {
      throw new Error(
        `${name}: useNonce() works only in pages with getServerSideProps; this document is the same for all clients and is cached, a nonce is for one response. Add getServerSideProps to the page, or allow the script by its hash in csp of portico.config.ts.`,
      )
    },
  }
  return deps.observed?.(context) ?? context
}

/** Up to which position a request must see every change (D6). */
export function neededBy({ inner: { epoch, generation = 0 } = {} }: PageRequest): FeedPosition {
  return { epoch, generation }
}

/** 128 random bits: a form of an uncacheable page runs once (A5). */
function createSubmissionKey(): string {
  return randomBytes(16).toString('base64url')
}

/** Writes one log line for each error of a render, which data and tree may both report; returns its digest. */
export function createErrorLog(deps: RenderDeps, route: string, request: PageRequest): (error: unknown) => string {
  const digests = new Map<unknown, string>()
  return (error) => {
    const digest = digests.get(error) ?? logError(deps, error, route, request)
    digests.set(error, digest)
    return digest
  }
}

/**
 * Writes the one log line of a digest, and reports the error to the site; returns the digest. `pattern` is that of the page,
 * where `route` is a path. A module that cannot be loaded has its line already: its requests are counted, and reported rarely.
 */
export function logError(
  { log, manifest, onRequestError }: RenderDeps,
  error: unknown,
  route: string,
  request: PageRequest,
  pattern = route,
): string {
  const isBroken = error instanceof ModuleFault
  if (isBroken && !error.noteRequest(log)) return error.digest
  const digest = isBroken ? error.digest : createDigest()
  if (!isBroken) log.error({ error, digest, route, requestId: request.requestId }, 'render failed')
  const revalidateReason = entryOf(manifest, pattern)?.data === 'static' ? 'stale' : undefined
  onRequestError?.(error, request, { routePath: pattern, routeType: 'render', revalidateReason })
  return digest
}
