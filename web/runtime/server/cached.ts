// cached() of portico/server: data that several requests share (C8).

import type { KeptData, RequestContext } from '@portico/shared/wire/bundles.ts'
import { DATA_FUNCTION_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import { currentContext, runWithContext } from './request-context.ts'

/** What `cached` needs to know of the data. */
export interface CachedOptions {
  /** Names the data within the site; the arguments of a call are added to it. */
  key: string
  /**
   * `revalidateTag` of one of these names makes the data out of date, in every process, within 100 ms. Pages for all
   * clients and other cached data that are made of this data get the tags, too.
   */
  tags?: readonly string[]
  /** Seconds after which the data is loaded again; without it the data is kept until a tag is revalidated. */
  revalidate?: number
}

/**
 * Makes a function whose results are kept in the memory of each renderer and actions process, for all requests. Equal
 * arguments share one result, and calls at the same time share one run. Arguments and results are plain JSON data; each
 * caller receives a copy of its own. The function runs without a client: `cookies()` and `headers()` throw in it. It has
 * 10 s. A failed run is not kept. Under development nothing is kept.
 *
 * @example
 * ```ts
 * // lib/rates.ts
 * import { cached, fetch } from 'portico/server'
 *
 * export const ratesOf = cached(
 *   async (currency: string) => {
 *     const response = await fetch(`https://rates.example/${currency}.json`)
 *     return (await response.json()) as Record<string, number>
 *   },
 *   { key: 'rates', tags: ['rates'], revalidate: 60 },
 * )
 * ```
 */
export function cached<Args extends readonly unknown[], Value>(
  load: (...args: Args) => Promise<Value> | Value,
  options: CachedOptions,
): (...args: Args) => Promise<Value> {
  checkOptions(options)
  const { key: name, tags = [], revalidate } = options
  return async (...args) => {
    const context = currentContext(`cached("${name}")`)
    const run = () => loadShared(context, options, () => load(...args))
    const data = { tags, revalidateSeconds: revalidate, load: run }
    const dataCache = isDraft(context) ? undefined : context.dataCache
    const kept = await (dataCache?.read(JSON.stringify([name, ...args]), data) ?? run())
    for (const tag of kept.tags) context.usedTags?.add(tag)
    // The function returned this value, or an equal one.
    return JSON.parse(kept.json) as Value
  }
}

/** SECURITY: what a draft is made of is kept for no other client. */
function isDraft({ draft }: RequestContext): boolean {
  return draft?.kind === 'on'
}

/** SECURITY: without anything of the client whose request runs the function, no result can hold it for others. */
async function loadShared(
  context: RequestContext,
  { key: name, tags = [] }: CachedOptions,
  load: () => unknown,
): Promise<KeptData> {
  const work = new AbortController()
  const usedTags = new Set(tags)
  const { dataCache, requestId, origin } = context
  const shared: RequestContext = {
    kind: 'static-page',
    name: `cached("${name}")`,
    requestId,
    fetchSite: context.fetchSite,
    origin,
    url: '/',
    headers: {},
    cookies: {},
    setCookies: [],
    signal: work.signal,
    endsAt: context.endsAt ?? performance.now() + DATA_FUNCTION_TIMEOUT_MS,
    usedTags,
    ...(isDraft(context) ? { draft: context.draft! } : dataCache && { dataCache }),
  }
  const value = await withinLimit(name, work, () => runWithContext(shared, load))
  const json = JSON.stringify(value)
  if (json === undefined)
    throw new Error(`cached("${name}"): the function returned ${typeof value}, which is no JSON data`)
  return { json, tags: [...usedTags] }
}

function withinLimit(name: string, work: AbortController, run: () => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new Error(`cached("${name}") took longer than ${DATA_FUNCTION_TIMEOUT_MS} ms`)
      work.abort(late)
      reject(late)
    }, DATA_FUNCTION_TIMEOUT_MS)
    Promise.resolve()
      .then(run)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

function checkOptions({ key, tags = [], revalidate }: CachedOptions): void {
  if (typeof key !== 'string' || key === '') throw new Error('cached(): key must be a text that is not empty')
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string' || tag === ''))
    throw new Error(`cached("${key}"): tags must be a list of texts that are not empty`)
  if (revalidate !== undefined && !(Number.isFinite(revalidate) && revalidate > 0))
    throw new Error(`cached("${key}"): revalidate=${revalidate} must be a number of seconds above 0`)
}
