// Renders a page for all clients once: data function and tree into an entry of the page cache (D2, D5).

import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import type { DeferredProps, RequestContext } from '@portico/shared/wire/bundles.ts'
import { SHARED_RENDER_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import { type ControlFlow, controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import { localeNames } from '@portico/shared/wire/locales/locales.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import type { CachedOutcome, CachedPage, CacheEntry } from '../cache/page-cache.ts'
import { callDataFunction, type DataResult } from '../resolve/data-functions.ts'
import { allLines, type DeferredValues, formatPage, openStoredProps } from '../resolve/deferred-props.ts'
import { draftMembers, markOf } from '../resolve/draft-mode.ts'
import { paramsOf } from '../resolve/rewritten-page.ts'
import { withSharedAppProps } from './initial-props.ts'
import type { PageRequest } from './outcome.ts'
import { refuseHuge } from './page-data-outcome.ts'
import {
  contextOf,
  createErrorLog,
  entryOf,
  hydrationOf,
  policyOf,
  type RenderDeps,
  renderThroughBundle,
} from './render-deps.ts'
import { UnfinishedRender } from './unfinished-render.ts'

/** A page that is the same for all clients, with the values of its route. */
export interface StaticPage {
  entry: PageEntry
  params: RouteParams
  /** In a site with locales (X14). */
  locale?: string | undefined
  /** 404 for the screen of paths without a page, which receives the status as `_error` does (R5). */
  status?: number
}

/**
 * As in Next.js: `build` during the build, `on-demand` after revalidatePath or revalidateTag, else `stale`, for the first
 * render, too.
 */
export type StaticRender = StaticPage & { reason: 'build' | 'on-demand' | 'stale' }

/** A render for all clients must end, even if a data function or a suspended part never does. */
export async function renderInTime(deps: RenderDeps, page: StaticRender, request: PageRequest): Promise<CacheEntry> {
  const timeoutMs = deps.renderTimeoutMs ?? SHARED_RENDER_TIMEOUT_MS
  const work = new AbortController()
  const late = () => work.abort(new UnfinishedRender(`${page.entry.pattern} took longer than ${timeoutMs} ms`))
  const timer = setTimeout(late, timeoutMs)
  const tasks = deps.after.begin(request.requestId)
  try {
    return await renderEntry(deps, page, { ...request, signal: work.signal, after: tasks.add }, work)
  } finally {
    clearTimeout(timer)
    // The caller stores the entry first.
    setImmediate(tasks.start)
  }
}

async function renderEntry(
  deps: RenderDeps,
  page: StaticRender,
  request: PageRequest,
  work: AbortController,
): Promise<CacheEntry> {
  const usedTags = new Set<string>()
  const context = Object.assign(contextOf(deps, request, 'static-page', page.entry.pattern), { usedTags })
  return deps.bundle.runWithContext(context, async () => {
    const result = await staticData(deps, page, request, { work, requestContext: context })
    const freshForMs = result.revalidateSeconds === undefined ? undefined : result.revalidateSeconds * 1000
    const entry = (outcome: CachedOutcome): CacheEntry => ({
      outcome,
      storedAt: deps.now(),
      freshForMs,
      tags: [...new Set([...result.tags, ...usedTags])],
    })
    if (result.kind !== 'props') return entry(withoutPage(result, page))
    try {
      return entry(await renderCached(deps, page, request, result))
    } catch (thrown) {
      const flow = controlFlowOf(thrown)
      if (!flow) throw thrown
      return entry(withoutPage(flow, page))
    }
  })
}

/** The outcome of control flow. Throws for a refusal: this render has no client that it could be meant for. */
function withoutPage(flow: ControlFlow, { entry: { pattern } }: StaticPage): CachedOutcome {
  switch (flow.kind) {
    case 'not-found':
      return { kind: 'not-found' }
    case 'redirect':
      return { kind: 'redirect', location: flow.location, status: flow.status }
    case 'refused':
      throw new Error(
        `${flow.status === 401 ? 'unauthorized()' : 'forbidden()'} was called for ${pattern}, which is rendered once for all visitors; use getServerSideProps there.`,
      )
  }
}

async function staticData(
  deps: RenderDeps,
  { entry, params, locale, status, reason }: StaticRender,
  { url, draft }: PageRequest,
  run: { work: AbortController; requestContext: RequestContext },
): Promise<DataResult> {
  if (entry.data !== 'static') {
    const props = status === undefined ? {} : { statusCode: status }
    return { kind: 'props', props, revalidateSeconds: undefined, tags: [] }
  }
  const module = await deps.bundle.pages[entry.pattern]!()
  if (!module.getStaticProps) throw new Error(`${entry.pattern}: the bundle has no getStaticProps`)
  return callDataFunction({
    route: entry.pattern,
    name: 'getStaticProps',
    run: withSharedAppProps(
      deps,
      { route: entry.pattern, params, locale, props: {}, status: status ?? 200, url },
      module.getStaticProps,
    ),
    ...run,
    timeoutMs: deps.dataTimeoutMs,
    context: {
      ...paramsOf(deps.manifest, { entry, params }),
      revalidateReason: reason,
      ...localeNames(deps.manifest.i18n, locale),
      ...draftMembers(draft),
    },
    mark: markOf(deps.manifest.semantics, draft),
    // An entry has no failed part: the failure is that of the page.
    failureOf: () => ({ digest: '' }),
  })
}

/** Renders the document of a stored page again: with other public values than those of its first render. */
export async function renderStored(
  deps: RenderDeps,
  page: StaticPage,
  request: PageRequest,
  data: Buffer,
): Promise<CachedPage> {
  // formatPage wrote this JSON.
  const stored = openStoredProps(JSON.parse(data.toString('utf8')) as Parameters<typeof openStoredProps>[0])
  const limited = { ...request, signal: AbortSignal.timeout(deps.renderTimeoutMs ?? SHARED_RENDER_TIMEOUT_MS) }
  return deps.bundle.runWithContext(contextOf(deps, limited, 'static-page', page.entry.pattern), () =>
    renderCached(deps, page, limited, stored),
  )
}

interface PageProps {
  props: Record<string, unknown>
  deferred?: DeferredProps & Partial<Pick<DeferredValues, 'failed'>>
}

async function renderCached(
  deps: RenderDeps,
  page: StaticPage,
  request: PageRequest,
  { props, deferred }: PageProps,
): Promise<CachedPage> {
  const { entry, params, locale, status = 200 } = page
  const lines = deferred && (await allLines(deferred))
  if (deferred?.failed) throw deferred.failed.error
  const json = formatPage({ route: entry.pattern, params }, deferred?.json ?? JSON.stringify(props), lines)
  refuseHuge(json, entry.pattern)
  const data = bytesOf(json)
  const route = shownRoute(deps, entry)
  const hydration = hydrationOf(deps, { route, params, props, status, locale, url: request.url })
  const result = await renderThroughBundle(deps, hydration, {
    whole: true,
    signal: request.signal,
    onError: createErrorLog(deps, entry.pattern, request),
    deferred,
  })
  if (result.kind !== 'html') throw new Error(`${entry.pattern}: a cached page cannot be streamed`)
  if (result.incomplete)
    throw new UnfinishedRender(
      `${entry.pattern}: a part of the page failed; a page for all clients is cached only without failures`,
    )
  const html = bytesOf(result.html)
  const policy = policyOf(deps, entry.pattern, result)
  return { kind: 'page', html, htmlEtag: entityTag(html), data, dataEtag: entityTag(data), policy }
}

/** The route that the router has: a screen of paths without a page that `_error` makes is `_error`; so may be the default one. */
export function shownRoute({ manifest }: RenderDeps, { pattern, file }: PageEntry): string {
  const errorFile = file === '' ? manifest.semantics.errorRoute && '' : entryOf(manifest, '/_error')?.file
  const isError = pattern === '/404' && file === errorFile
  return isError ? '/_error' : pattern
}

/** In memory of their own: a kept slice of the pool of node:buffer, where short texts go, keeps all of the pool. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
