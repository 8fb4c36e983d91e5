// The prefetch cache and its queue (P1-P4): five at a time, intent before view, fresh 30 s, reusable 300 s; and the links in
// view or about to be clicked that fill it.

import { PREFETCH_CONCURRENCY, PREFETCH_FRESH_MS, PREFETCH_REUSABLE_MS } from '@portico/shared/wire/constants.ts'
import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { LinkHost } from '../../react/router-context.ts'
import type { DataResult, PrefetchPriority } from './fetch-page-data.ts'

interface PrefetcherDeps {
  /** Fetches one page's data. Rejections and unusable responses are silent (P3). */
  fetchData: (url: string, signal: AbortSignal, priority: PrefetchPriority) => Promise<DataResult>
  now: () => number
}

interface Prefetched {
  data: PageData
  /** false: older than 30 s; show it and refresh behind. */
  isFresh: boolean
}

export interface Prefetcher {
  request(url: string, priority: PrefetchPriority): void
  /** The link left the view: drops what has not started. */
  cancel(url: string): void
  /** The entry of an address, or the promise of the request for it. */
  take(url: string): Prefetched | Promise<Prefetched | undefined> | undefined
  /** A navigation shows the entry. Data for one client or request is used once: the next navigation requests it again. */
  used(url: string): void
  /** Drops what there is for an address. */
  drop(url: string): void
  /** A navigation begins: aborts prefetches of other addresses (P1). */
  abortOthers(url: string): void
  /** After an action response or a session change: drops all entries (P4). */
  clear(): void
}

interface Stored {
  data: PageData
  arrivedAt: number
  isPrivate: boolean
}

interface Running {
  controller: AbortController
  result: Promise<Stored | undefined>
}

export function createPrefetcher({ fetchData, now }: PrefetcherDeps): Prefetcher {
  const stored = new Map<string, Stored>()
  const running = new Map<string, Running>()
  const waiting = new Map<string, PrefetchPriority>()

  const start = (url: string, priority: PrefetchPriority) => {
    waiting.delete(url)
    const controller = new AbortController()
    const result = fetchData(url, controller.signal, priority)
      .then((result) => {
        if (result.kind !== 'data' || controller.signal.aborted) return undefined
        // Values follow, which no page waits for yet: the click will request them.
        if (result.data.close) return void result.data.close()
        const entry = { data: result.data, arrivedAt: now(), isPrivate: result.isPrivate }
        stored.set(url, entry)
        return entry
      })
      // A failed prefetch is silent and not kept: the click will request the data itself.
      .catch(() => undefined)
      .finally(() => {
        if (running.get(url)?.controller === controller) running.delete(url)
        next()
      })
    running.set(url, { controller, result })
  }

  const next = () => {
    for (const [old, entry] of stored) if (now() - entry.arrivedAt > PREFETCH_REUSABLE_MS) stored.delete(old)
    while (running.size < PREFETCH_CONCURRENCY && waiting.size > 0) {
      // The pointer is on the link that was requested last.
      const intent = [...waiting].findLast(([, priority]) => priority === 'intent')
      start(...(intent ?? waiting.entries().next().value!))
    }
  }

  return {
    request(url, priority) {
      if (running.has(url) || usable(stored.get(url), now())?.isFresh) return
      if (priority === 'intent') waiting.delete(url)
      if (!waiting.has(url)) waiting.set(url, priority)
      next()
    },
    cancel(url) {
      if (waiting.get(url) === 'view') waiting.delete(url)
    },
    take(url) {
      const ready = usable(stored.get(url), now())
      if (ready) return ready
      return running.get(url)?.result.then((entry) => usable(entry, now()))
    },
    used(url) {
      if (stored.get(url)?.isPrivate) stored.delete(url)
    },
    drop(url) {
      stored.delete(url)
      waiting.delete(url)
      running.get(url)?.controller.abort()
      running.delete(url)
    },
    abortOthers(url) {
      waiting.clear()
      for (const [other, { controller }] of running) {
        if (other === url) continue
        running.delete(other)
        controller.abort()
      }
    },
    clear() {
      stored.clear()
      waiting.clear()
      for (const { controller } of running.values()) controller.abort()
      running.clear()
    },
  }
}

/** The entry at a time; undefined for no entry, and when the entry is too old. */
function usable(entry: Stored | undefined, nowMs: number): Prefetched | undefined {
  if (!entry) return undefined
  const ageMs = nowMs - entry.arrivedAt
  if (ageMs <= PREFETCH_FRESH_MS) return { data: entry.data, isFresh: true }
  if (ageMs <= PREFETCH_REUSABLE_MS && !entry.isPrivate) return { data: entry.data, isFresh: false }
  return undefined
}

interface Connection {
  saveData?: boolean
  effectiveType?: string
}

/** The router, as links use it. */
interface PrefetchingRouter {
  prefetch(url: string, priority: PrefetchPriority): Promise<void>
  cancelPrefetch(url: string): void
}

export function createLinks(router: PrefetchingRouter): Pick<LinkHost, 'observe' | 'intend'> {
  const hrefs = new WeakMap<Element, string>()
  const idle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 200))
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const url = hrefs.get(target)
      if (url === undefined) continue
      if (!isIntersecting) router.cancelPrefetch(url)
      // In development every module of a page is a separate request, made for the first time.
      else if (process.env.NODE_ENV !== 'development' && mayPrefetch())
        idle(() => void router.prefetch(url, 'view').catch(ignore))
    }
  })
  return {
    observe(element, href) {
      const url = localAddress(href)
      if (url === undefined) return () => {}
      hrefs.set(element, url)
      observer.observe(element)
      return () => {
        observer.unobserve(element)
        router.cancelPrefetch(url)
      }
    },
    intend(href) {
      const url = localAddress(href)
      if (url !== undefined && mayPrefetch()) void router.prefetch(url, 'intent').catch(ignore)
    },
  }
}

function localAddress(href: string): string | undefined {
  const target = new URL(href, location.href)
  return target.origin === location.origin ? target.pathname + target.search : undefined
}

/** Not under Save-Data or on 2G, where users pay for every byte. */
function mayPrefetch(): boolean {
  const { connection } = navigator as Navigator & { connection?: Connection }
  return !connection?.saveData && !/2g$/.test(connection?.effectiveType ?? '')
}

/** A failed prefetch is silent: the click will show what is wrong (P3). */
function ignore(): void {}
