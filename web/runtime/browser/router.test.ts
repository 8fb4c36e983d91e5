// The router over a history that takes notes, a view loader that waits to be told, and a view layer that commits at once.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PageData } from '../../../services/shared/wire/page-data.ts'
import { createEvents } from './events.ts'
import { RouteLoadError } from './load-route.ts'
import { type BrowserRouter, createRouter } from './router.ts'
import { goTo, stubAddressBar } from './testing/address-bar.ts'
import type { View } from './view.ts'
import type { LoadedView } from './view-loader.ts'

interface Load {
  url: string
  signal: AbortSignal
  finish: (loaded: LoadedView) => Promise<void>
  fail: (error: Error) => Promise<void>
}

let notes: string[]
let loads: Load[]
let shown: View
let pending: string | undefined
let router: BrowserRouter
let guard: boolean
let fetched: (data: PageData | undefined) => void

/** The view layer waits, as React does for the motion of an earlier change; only the last view is committed. */
let isHeld: boolean
let held: View | undefined

function commit(view: View): void {
  shown = view
  router.onCommitted(view)
}

function release(): void {
  isHeld = false
  if (held) commit(held)
  held = undefined
}

const settled = () => new Promise<void>((done) => setImmediate(done))

function viewOf(url: string, route = url): View {
  return { route, params: {}, props: {}, Page: () => null, url, isFallback: false, isReady: true }
}

function pop(url: string, state: object | null): void {
  goTo(url)
  Object.assign(history, { state })
  router.popped()
}

beforeEach(() => {
  notes = []
  loads = []
  pending = undefined
  guard = true
  isHeld = false
  held = undefined
  stubAddressBar('/shop/a', (text) => notes.push(text))
  const events = createEvents()
  for (const name of ['routeChangeStart', 'routeChangeComplete', 'routeChangeError', 'hashChangeComplete'] as const)
    events.on(name, (...details) => void notes.push(`${name} ${String(details.at(-2))}`))
  shown = viewOf('/shop/a')
  let keys = 0
  router = createRouter({
    basePath: '/shop',
    first: shown,
    entry: { url: '/shop/a', key: 'key-first' },
    views: {
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
      toTarget: (hash) => void notes.push(`scroll ${hash}`),
    },
    events,
    show: (view) => {
      if (isHeld) held = view
      else commit(view)
    },
    setPending: (location) => {
      pending = location
    },
    announce: (movesFocus) => void notes.push(movesFocus ? 'announce and focus' : 'announce'),
    loadInFull: (url, reason) => {
      notes.push(`full ${url} ${reason}`)
      return guard
    },
    fail: (error) => void notes.push(error.message),
    createKey: () => `key-${++keys}`,
  })
  notes = []
})

afterEach(() => {
  vi.unstubAllGlobals()
})

const loaded = (url: string, isStale = false): LoadedView => ({ kind: 'view', view: viewOf(url), isStale })

describe('navigation', () => {
  test('N2 push shows the page, then writes history, scrolls, announces and resolves', async () => {
    const done = router.push('/shop/b#part')
    expect([pending, notes]).toEqual(['/shop/b#part', ['routeChangeStart /shop/b#part']])
    await loads[0]!.finish(loaded('/shop/b#part'))
    expect(await done).toBe(true)
    expect(notes.slice(1)).toEqual([
      'push /shop/b#part',
      'scroll #part',
      'announce and focus',
      'routeChangeComplete /shop/b#part',
    ])
    expect([pending, shown.route]).toEqual([undefined, '/shop/b#part'])
  })

  test('N6 the last navigation wins: earlier ones are aborted and resolve false', async () => {
    const first = router.push('/shop/b')
    const second = router.replace('/shop/c')
    expect(await first).toBe(false)
    expect(loads.map(({ signal }) => signal.aborted)).toEqual([true, false])
    await loads[1]!.finish(loaded('/shop/c'))
    await loads[0]!.finish(loaded('/shop/b'))
    expect([await second, shown.url]).toEqual([true, '/shop/c'])
    expect(notes.filter((note) => /^(push|replace) /.test(note))).toEqual(['replace /shop/c'])
  })

  test('N2 a hash move after a navigation writes one entry and nothing of the navigation again', async () => {
    const done = router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b'))
    await done
    notes = []
    expect(await router.push('#part')).toBe(true)
    expect(notes).toEqual(['push /shop/b#part', 'scroll #part', 'hashChangeComplete /shop/b#part'])
    expect(location.hash).toBe('#part')
    notes = []
    pop('/shop/b#other', null)
    expect(notes).toEqual([])
    expect(shown.url).toBe('/shop/b#other')
  })

  test('N3 back loads the page and restores its scroll without writing history', async () => {
    const done = router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b'))
    await done
    notes = []
    pop('/shop/a', { portico: 'key-old' })
    await loads[1]!.finish(loaded('/shop/a'))
    expect(notes).toEqual([
      'routeChangeStart /shop/a',
      'restore key-old',
      'announce and focus',
      'routeChangeComplete /shop/a',
    ])
  })

  test('N4 what is not of the router is left to the browser', () => {
    for (const url of ['/shop/api/x', '/shop/api', '/elsewhere', '/shopping', 'https://other.example/x'])
      void router.push(url)
    void router.replace('/shop/api/y')
    expect(notes.map((note) => note.replace('http://site.example', ''))).toEqual([
      'assign /shop/api/x',
      'assign /shop/api',
      'assign /elsewhere',
      'assign /shopping',
      'assign https://other.example/x',
      'swap /shop/api/y',
    ])
    void router.push('/shop/apiary')
    expect(loads.map(({ url }) => url)).toEqual(['/shop/apiary'])
  })

  test('N5 what cannot be had is loaded in full, or the screen says so', async () => {
    void router.push('/shop/b?a=1#x')
    await loads[0]!.fail(new RouteLoadError('code-late'))
    expect(notes.at(-1)).toBe('full /shop/b?a=1#x code-late')
    guard = false
    void router.push('/shop/b?a=1#x')
    await loads[1]!.fail(new RouteLoadError('code-late'))
    expect(notes.at(-1)).toBe('The page cannot be loaded (code-late).')
    expect(pending).toBeUndefined()
  })

  test('D3 a redirect is followed; one that leaves the router is a full load', async () => {
    void router.push('/shop/b')
    await loads[0]!.finish({ kind: 'redirect', location: '/shop/c' })
    await loads[1]!.finish(loaded('/shop/c'))
    expect(notes.filter((note) => /^(push|replace) /.test(note))).toEqual(['push /shop/c'])
    for (const away of ['https://other.example/', '/shop/api/login']) {
      void router.push('/shop/d')
      await loads.at(-1)!.finish({ kind: 'redirect', location: away })
      expect(notes.at(-1)).toBe(`full ${new URL(away, 'http://site.example').href} redirect`)
      expect(pending).toBeUndefined()
    }
  })
})

describe('fresh data', () => {
  const dataOf = (route: string) => ({ kind: 'page', route, params: {}, props: {} }) as const

  test('P3 an old prefetched page is shown at once and refreshed behind', async () => {
    void router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b', true))
    expect(shown.route).toBe('/shop/b')
    fetched(dataOf('/fresh'))
    await settled()
    expect([shown.route, shown.url]).toEqual(['/fresh', '/shop/b'])
    expect(notes.filter((note) => note.startsWith('push'))).toEqual(['push /shop/b'])
  })

  test('D2 a shell whose data cannot be had is loaded in full', async () => {
    router.onCommitted({ ...viewOf('/shop/a'), isFallback: true })
    const refreshing = router.refresh()
    fetched(undefined)
    await refreshing
    expect(notes).toEqual(['full /shop/a data-fallback'])
  })

  test('P3 a refresh that comes after the page was left is for nobody', async () => {
    const refreshing = router.refresh()
    const done = router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b'))
    await done
    fetched(dataOf('/of-a'))
    await refreshing
    expect(shown.route).toBe('/shop/b')
  })

  test('A6 data that an action brings is shown on the page that asked, and on no other', async () => {
    await router.applyData(dataOf('/fresh'), '/shop/a')
    expect([shown.route, shown.url]).toEqual(['/fresh', '/shop/a'])
    const done = router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b'))
    await done
    await router.applyData(dataOf('/late'), '/shop/a')
    expect(shown.route).toBe('/shop/b')
  })

  test('N6 P3 data for the page shown does not push out the page that is on its way into the document', async () => {
    void router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b', true))
    isHeld = true
    pop('/shop/a', { portico: 'key-first' })
    await loads[1]!.finish(loaded('/shop/a'))
    fetched(dataOf('/fresh'))
    await settled()
    release()
    expect(shown).toMatchObject({ url: '/shop/a', route: '/shop/a' })
    expect(notes.at(-1)).toBe('routeChangeComplete /shop/a')
  })

  test('A6 data for the page on its way is shown with its navigation', async () => {
    isHeld = true
    const moved = router.replace('/shop/a')
    await loads[0]!.finish(loaded('/shop/a'))
    await router.applyData(dataOf('/fresh'), '/shop/a')
    release()
    expect(shown.route).toBe('/fresh')
    expect(await moved).toBe(true)
  })

  test('N6 a page that is in the document only after a step back writes no history', async () => {
    isHeld = true
    void router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b'))
    pop('/shop/z', { portico: 'key-z' })
    release()
    await loads[1]!.finish(loaded('/shop/z'))
    expect(notes.filter((note) => /^(push|replace) /.test(note))).toEqual([])
    expect(shown.url).toBe('/shop/z')
  })
})
