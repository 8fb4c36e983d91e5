// Fetches page data (W2) and retries by D4. Reports unusable responses by kind; rejects only when aborted.

import { isForOneClient } from '@portico/shared/wire/caching.ts'
import { DEFERRED_SILENCE_MS, HEADERS } from '@portico/shared/wire/constants.ts'
import { type ErrorBody, parsePageData } from '@portico/shared/wire/page-data.ts'
import { fetchWithRetries, type RetryOptions } from '@portico/shared/wire/retry.ts'
import { parseAddedQuery } from '@portico/shared/wire/routing/added-query.ts'
import { dataUrl, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { ReceivedData } from '../view.ts'

/** Why a page is prefetched: its link is in view, or about to be clicked. */
export type PrefetchPriority = 'intent' | 'view'

export type DataResult =
  | { kind: 'data'; data: ReceivedData; isPrivate: boolean }
  /** The browser must load the target in full (N5); `status` where there was a response. */
  | {
      kind: 'unusable'
      reason: 'foreign-build' | 'status' | 'content-type' | 'network'
      status?: number
      /** Names the line in the server's log (E4). */
      digest?: string | undefined
    }

interface DataFetcherDeps extends Pick<RetryOptions, 'pause' | 'random'> {
  buildId: string
  fetch: typeof fetch
  /** A 401, a 403 or the session header: prefetched data may belong to another session (P4). */
  onSessionChange: () => void
}

interface FetchOptions {
  signal: AbortSignal
  retry: boolean
  /** `view`: for a later page, after everything that the shown page fetches (P1). */
  prefetch?: PrefetchPriority
}

export type FetchData = (url: string, options: FetchOptions) => Promise<DataResult>

export function withoutHash(url: string): string {
  const at = url.indexOf('#')
  return at < 0 ? url : url.slice(0, at)
}

/** The data address of a page address (both with basePath). */
export function pageDataUrl(basePath: string, buildId: string, url: string): string {
  const { pathname, search } = splitTarget(url)
  return dataUrl(basePath, buildId, stripBasePath(pathname, basePath) ?? pathname, search)
}

export function createDataFetcher(deps: DataFetcherDeps): FetchData {
  return async (url, { signal, retry, prefetch }) => {
    const headers = { accept: 'application/json', ...(prefetch && { [HEADERS.prefetch]: '1' }) }
    const priority = prefetch === 'view' ? 'low' : 'auto'
    // Firefox receives a body to its end whose reader is cancelled, and delays the next request for the same address until
    // then. Aborting ends the transfer in every browser.
    const transfer = new AbortController()
    const abort = () => transfer.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    const send = () => deps.fetch(url, { signal: transfer.signal, credentials: 'same-origin', headers, priority })
    let response: Response
    try {
      response = await fetchWithRetries(send, { ...deps, repeats: { serverErrors: retry }, signal })
    } catch (error) {
      if (signal.aborted) throw error
      return { kind: 'unusable', reason: 'network' }
    }
    return readResponse(response, abort, deps)
  }
}

async function readResponse(
  response: Response,
  abort: () => void,
  { buildId, onSessionChange }: DataFetcherDeps,
): Promise<DataResult> {
  const { status, headers } = response
  const isRefused = status === 401 || status === 403
  if (isRefused || headers.get(HEADERS.session) === 'changed') onSessionChange()
  const type = /^application\/(jsonl?)\b/.exec(headers.get('content-type') ?? '')?.[1]
  if (!type) return { kind: 'unusable', reason: 'content-type', status }
  if (headers.get(HEADERS.build) !== buildId) return { kind: 'unusable', reason: 'foreign-build', status }
  if (status !== 200 && status !== 404 && !isRefused)
    return {
      kind: 'unusable',
      reason: 'status',
      status,
      ...(process.env.PORTICO_ERRORS && { digest: await readDigest(response) }),
    }
  // The body was cut off, or is not JSON.
  const data = await (type === 'json' ? readWhole(response) : readLines(response, abort)).catch(() => undefined)
  // The refusal of something between browser and page: the document shows it.
  if (!data) return { kind: 'unusable', reason: isRefused ? 'status' : 'content-type', status }
  if (process.env.PORTICO_REWRITES && data.kind === 'page') {
    const added = headers.get(HEADERS.query)
    if (added) data.params = { ...parseAddedQuery(added), ...data.params }
  }
  if (data.kind === 'foreign-build') return { kind: 'unusable', reason: 'foreign-build', status }
  return { kind: 'data', data, isPrivate: isForOneClient(headers.get('cache-control') ?? '') }
}

async function readDigest(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorBody> | null | undefined
  return body?.error?.digest
}

async function readWhole(response: Response): Promise<ReceivedData | undefined> {
  const data = parsePageData(await response.json())
  return data && openPage(data)
}

async function readLines(response: Response, abort: () => void): Promise<ReceivedData | undefined> {
  return (await import('../deferred/received.ts')).receiveLines(response, DEFERRED_SILENCE_MS, abort)
}

/** Page data with promises in its props. */
export async function openPage(data: ReceivedData): Promise<ReceivedData> {
  if (data.kind !== 'page' || !data.deferred) return data
  const { openData } = await import('../deferred/received.ts')
  openData(data)
  return data
}
