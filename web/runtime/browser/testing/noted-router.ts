// The router over a history that records, a view loader that tests finish, and a view layer that shows views
// immediately, or after `release`. Each test begins with `setUpRouter`.

import type { PageData } from '@portico/shared/wire/page-data.ts'
import { type BrowserRouter, createRouter } from '../navigation/router.ts'
import { createEvents, type RouterEmitter } from '../tab.ts'
import type { View } from '../view.ts'
import type { LoadedView } from '../views/views.ts'
import { goTo, stubAddressBar } from './address-bar.ts'
import { viewOf } from './router-words.ts'

interface Load {
  url: string
  signal: AbortSignal
  finish: (loaded: LoadedView) => Promise<void>
  fail: (error: Error) => Promise<void>
}

export let notes: string[]
export let loads: Load[]
export let shown: View
export let pending: string | undefined
let ready: { view: View; isStale: boolean } | undefined
export let router: BrowserRouter
export let events: RouterEmitter
export let fetched: (data: PageData | undefined) => void
/** Why the code for fresh data cannot be loaded. */
let refusal: Error | undefined

/** The view layer waits, as React does for the animation of an earlier change; then it shows the last view only. */
let isHeld: boolean
export let held: View | undefined

export function putInDocument(view: View): void {
  shown = view
  view.onApply?.()
  router.onShown(view)
}

export function hold(): void {
  isHeld = true
}

export function release(): void {
  isHeld = false
  if (held) putInDocument(held)
  held = undefined
}

export const settled = () => new Promise<void>((done) => setImmediate(done))

export function clearNotes(): void {
  notes = []
}

/** From now on every page was prefetched whole, and is this one. */
export function prefetchAll(view: View): void {
  ready = { view, isStale: false }
}

export function pop(url: string, state: object | null): void {
  goTo(url)
  Object.assign(history, { state })
  router.popped()
}

/** From now on the code for fresh data cannot be loaded. */
export function failCode(error: Error): void {
  refusal = error
}

/** An idle router at /shop/a. */
export function setUpRouter(): void {
  startRouter(viewOf('/shop/a'))
}

export function startRouter(first: View): void {
  notes = []
  loads = []
  pending = undefined
  ready = undefined
  refusal = undefined
  isHeld = false
  held = undefined
  stubAddressBar(first.url, (text) => notes.push(text))
  events = createEvents()
  for (const name of ['routeChangeStart', 'routeChangeComplete', 'routeChangeError', 'hashChangeComplete'] as const)
    events.on(name, (...details) => void notes.push(`${name} ${String(details.at(-2))}`))
  shown = first
  let keys = 0
  router = createRouter({
    basePath: '/shop',
    first,
    entry: { url: first.url, key: 'key-first' },
    views: {
      routeOf: () => undefined,
      ready: () => ready,
      drop() {
        ready = undefined
      },
      load: (url, signal) =>
        new Promise((resolve, reject) => {
          loads.push({
            url,
            signal,
            finish(loaded) {
              resolve(loaded)
              return settled()
            },
            fail(error) {
              reject(error)
              return settled()
            },
          })
        }),
      apply: async (data, { url }) => {
        if (refusal) throw refusal
        if (data.kind === 'redirect') return { kind: 'redirect', location: `/shop${data.location}` }
        return { kind: 'view', view: viewOf(url, data.kind === 'page' ? data.route : '/404'), isStale: false }
      },
      fetch: () =>
        new Promise((done) => {
          fetched = done
        }),
      prefetch: async () => {},
    },
    cancelPrefetch: () => {},
    scroll: {
      follow: () => {},
      restore: (key) => void notes.push(`restore ${key}`),
      toTop: () => void notes.push('top'),
      toTarget: (hash) => void notes.push(`scroll ${hash}`),
    },
    events,
    show: (view, onApply) => {
      if (isHeld) held = { ...view, onApply }
      else putInDocument({ ...view, onApply })
    },
    setPending: (location) => {
      pending = location
    },
    announce: (movesFocus) => void notes.push(movesFocus ? 'announce and focus' : 'announce'),
    loadInFull: (url, reason) => void notes.push(`full ${url} ${reason}`),
    createKey: () => `key-${++keys}`,
  })
  notes = []
}

export const loaded = (url: string, isStale = false): LoadedView => ({ kind: 'view', view: viewOf(url), isStale })
