// A document from its page data, through the bundle, with the content security policy that allows its scripts (G6). Whole
// documents contain no inline script except those whose hashes the policy names; streamed documents, and those in which
// page code read the nonce, name the nonce of their scripts.

import { randomBytes } from 'node:crypto'
import { traced } from '@portico/shared/kit/observe/tracing.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { DeferredProps, DocumentNonce, RenderInput, RenderResult } from '@portico/shared/wire/bundles.ts'
import { LARGE_PAGE_DATA_BYTES } from '@portico/shared/wire/constants.ts'
import type { DocumentClient } from '@portico/shared/wire/next/initial-props.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import {
  type PolicyHeader,
  policyHeader,
  type ResolvedPolicy,
} from '@portico/shared/wire/policy/content-security-policy.ts'
import { contextOf, createErrorLog, entryOf, type Hydrated, hydrationOf, type RenderDeps } from '../context/context.ts'
import { NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from '../outcome/outcome.ts'
import { createPageResponse } from './data-arguments.ts'

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

/** The inline scripts that a document contains. */
interface AllowedScripts {
  nonce?: string | undefined
  /** Sources such as `'sha256-…'`, with the quotes. */
  scriptHashes: readonly string[]
}

/** The directives that decide about inline `<script>` elements. */
const SCRIPT_DIRECTIVES = ['script-src', 'script-src-elem'] as const

/** The policy of a document: the directives of its route with the nonce and the hashes of its scripts. */
export function contentSecurityPolicy(
  policy: ResolvedPolicy | undefined,
  { nonce, scriptHashes }: AllowedScripts,
): PolicyHeader | undefined {
  if (!policy) return undefined
  const allowed = nonce === undefined ? scriptHashes : [`'nonce-${nonce}'`, ...scriptHashes]
  if (allowed.length === 0) return policyHeader(policy)
  const directives = { ...policy.directives }
  for (const name of SCRIPT_DIRECTIVES) {
    const sources = directives[name]
    // Browsers ignore 'unsafe-inline' where a directive has a nonce or a hash (CSP3 section 6.7.3.2), and 'none' next
    // to any other source: either is what the author chose.
    if (!sources || sources.includes("'unsafe-inline'") || sources.includes("'none'")) continue
    directives[name] = [...sources, ...allowed]
  }
  return policyHeader({ ...policy, directives })
}

/** Whether the policy allows only scripts that have a nonce, the framework's own included. */
export function needsNonce(policy: ResolvedPolicy | undefined): boolean {
  return SCRIPT_DIRECTIVES.some((name) => policy?.directives[name]?.includes("'strict-dynamic'"))
}

/** 128 random bits, one nonce for each response, if anything of the document reads it. */
export function createDocumentNonce(): DocumentNonce {
  let value: string | undefined
  return {
    read() {
      value ??= randomBytes(16).toString('base64')
      return value
    },
    get value() {
      return value
    },
  }
}
