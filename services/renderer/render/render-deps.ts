// The dependencies of rendering, and the steps that all kinds of page share.

import { randomBytes } from 'node:crypto'
import type { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import type { Policies } from '@portico/shared/kit/config/policies.ts'
import type { PublicEnvValues } from '@portico/shared/kit/config/site-environment.ts'
import type { Feed } from '@portico/shared/kit/feed/feed.ts'
import { createDigest } from '@portico/shared/kit/http/request-id.ts'
import type { AfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import { ModuleFault } from '@portico/shared/kit/life/site-modules.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { ReportRequestError } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { traced } from '@portico/shared/kit/observe/tracing.ts'
import { isPerRequest, type Manifest, type PageEntry } from '@portico/shared/wire/build-output.ts'
import type {
  DeferredProps,
  DocumentNonce,
  RenderInput,
  RenderResult,
  RequestContext,
  ServerBundle,
} from '@portico/shared/wire/bundles.ts'
import { LARGE_PAGE_DATA_BYTES } from '@portico/shared/wire/constants.ts'
import type { FeedPosition } from '@portico/shared/wire/invalidation.ts'
import { localeNames } from '@portico/shared/wire/locales/locales.ts'
import type { DocumentClient } from '@portico/shared/wire/next/initial-props.ts'
import type { HydrationData, RouteFiles } from '@portico/shared/wire/page-data.ts'
import type { PolicyHeader } from '@portico/shared/wire/policy/content-security-policy.ts'
import { splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { versionOf } from '@portico/shared/wire/routing/version.ts'
import type { PageCache } from '../cache/page-cache.ts'
import type { PageCacheVerdict } from '../cache/page-cache-metrics.ts'
import type { Prerendered } from '../prerender/prerendered.ts'
import { createPageResponse } from '../resolve/page-response.ts'
import { contentSecurityPolicy } from '../send/content-security-policy.ts'
import { NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from './outcome.ts'
import { localeOf } from './page-identity.ts'

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

/** The policy of a document of a route, which allows its scripts. */
export function policyOf(
  { policies }: RenderDeps,
  route: string,
  { scriptHashes }: Pick<RenderResult, 'scriptHashes'>,
  nonce?: string,
): PolicyHeader | undefined {
  return contentSecurityPolicy(policies.of(route), { nonce, scriptHashes })
}

interface RenderOptions extends Pick<RenderInput, 'isWholeRequested' | 'client'> {
  whole: boolean
  /** Absent for a document that is the same for all clients. */
  nonce?: DocumentNonce
  signal: AbortSignal
  /** Logs an error and returns its digest. */
  onError: (error: unknown) => string
  /** Present if the props have promises. */
  deferred?: DeferredProps | undefined
}

/**
 * Renders through the bundle. Each error inside a boundary gives one log line with the digest that the browser receives
 * (E4).
 */
export function renderThroughBundle(
  deps: RenderDeps,
  hydration: HydrationData,
  options: RenderOptions,
): Promise<RenderResult> {
  const { whole, isWholeRequested, nonce, signal, onError, deferred, client } = options
  return traced('render', () =>
    deps.bundle.render({
      route: hydration.route,
      hydration,
      entry: deps.manifest.browserEntry,
      whole,
      isWholeRequested,
      signal,
      nonce,
      onError,
      onLargeData: (bytes) => noteLargeData(deps, hydration, bytes),
      deferred,
      client: client ?? (isStatic(deps, hydration) ? () => sharedClient(hydration) : undefined),
    }),
  )
}

const largePagesOf = new WeakMap<Manifest, Set<string>>()

/** One log line for a page of a build: each request of the page may have as much. */
function noteLargeData({ manifest, log }: RenderDeps, { route, url }: HydrationData, bytes: number): void {
  const noted = largePagesOf.get(manifest) ?? new Set()
  if (noted.has(route)) return
  largePagesOf.set(manifest, noted.add(route))
  const [size, threshold] = [bytes, LARGE_PAGE_DATA_BYTES].map((value) => `${Math.round(value / 1000)} kB`)
  log.warn(
    // Without the query: a log has none of its values.
    { event: 'large-page-data', route, path: url.split('?')[0], bytes },
    `page data of ${route} has ${size}, more than ${threshold}: a browser parses all of it before the page is interactive`,
  )
}

function isStatic({ manifest }: RenderDeps, { route }: HydrationData): boolean {
  return entryOf(manifest, route)?.data === 'static'
}

/** The request and response for a page with getStaticProps: they are those of no client. */
export function sharedClient({ url }: Pick<HydrationData, 'url'>): DocumentClient {
  return { req: { method: 'GET', url, headers: {}, cookies: {} }, res: createPageResponse() }
}

/** Renders a document that needs no stream and that no cache keeps: the shell of a fallback, a posted form, a screen. */
export async function renderDocumentWhole(
  deps: RenderDeps,
  page: Hydrated,
  request: PageRequest,
  { kind = 'static-page', deferred }: { kind?: 'page' | 'static-page'; deferred?: DeferredProps } = {},
): Promise<Extract<Outcome, { kind: 'whole' }>> {
  const { route, status } = page
  const { signal } = request
  const onError = createErrorLog(deps, route, request)
  const result = await deps.bundle.runWithContext(contextOf(deps, request, kind, route), () =>
    renderThroughBundle(deps, hydrationOf(deps, page), { whole: true, signal, onError, deferred }),
  )
  if (result.kind !== 'html') throw new Error(`${route}: a whole document cannot be streamed`)
  const policy = policyOf(deps, route, result)
  return { kind: 'whole', route, status, type: 'html', policy, body: result.html, author: NO_AUTHOR_HEADERS }
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
