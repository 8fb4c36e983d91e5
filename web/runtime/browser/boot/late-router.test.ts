// No click, step through history or prefetch is lost before the router's code has arrived.

import { ROUTE_LOAD_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Navigation } from '../navigation/navigation.ts'
import { goTo } from '../testing/address-bar.ts'
import type { View } from '../view.ts'
import { createLateRouter, type LateRouter } from './late-router.ts'

let notes: string[]
let loads: { arrive: () => void; fail: () => void }[]
let router: LateRouter
let pop: () => void

const settled = () => vi.advanceTimersByTimeAsync(0)
const anchor = {} as HTMLAnchorElement

beforeEach(() => {
  vi.useFakeTimers()
  notes = []
  loads = []
  const note = (text: string) => void notes.push(text)
  vi.stubGlobal('location', {
    origin: 'http://site.example',
    href: 'http://site.example/shop/a',
    pathname: '/shop/a',
    search: '',
    hash: '',
    assign: (url: string) => note(`assign ${url}`),
    replace: (url: string) => note(`swap ${url}`),
    reload: () => note('reload'),
  })
  vi.stubGlobal('addEventListener', (_name: string, listener: () => void) => {
    pop = listener
  })
  const navigate = (how: string) => async (url: string) => {
    note(`${how} ${url}`)
    return true
  }
  const navigation: Navigation = {
    router: {
      push: navigate('push'),
      replace: navigate('replace'),
      prefetch: async (url) => note(`prefetch ${url}`),
      cancelPrefetch: () => {},
      refresh: async () => note('refresh'),
      applyData: async (_data, url) => note(`apply ${url}`),
      popped: () => note('popped'),
      onShown: (view) => note(`shown ${view.url}`),
    },
    links: {
      observe(_element, href) {
        note(`observe ${href}`)
        return () => note(`stop ${href}`)
      },
      intend: (href) => note(`intend ${href}`),
    },
    dropPrefetched: () => {},
    Screen: () => null,
  }
  router = createLateRouter({
    basePath: '/shop',
    load: () =>
      new Promise((resolve, reject) => {
        loads.push({ arrive: () => resolve(navigation), fail: () => reject(new Error('no code')) })
      }),
    onWait: (address) => note(address === undefined ? 'waiting for nothing' : `waiting for ${address}`),
    loadInFull: (url, reason) => note(`full ${url} ${reason}`),
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('before the code of the router has arrived', () => {
  test('N1 a click is handled by the router as soon as the router arrives', async () => {
    expect(router.links.follow('/shop/b#x', { replace: true })).toBe(true)
    expect(notes).toEqual(['waiting for /shop/b#x'])
    loads[0]!.arrive()
    await settled()
    expect(notes.slice(1)).toEqual(['replace http://site.example/shop/b#x'])
  })

  test.each(['/shop/api/x', '/elsewhere', 'https://other.example/shop/b'])(
    'N4 a click on %s is left to the browser',
    (href) => {
      expect(router.links.follow(href, {})).toBe(false)
      expect(loads).toEqual([])
    },
  )

  test('N6 two clicks reach the router in their order', async () => {
    void router.push('/shop/b')
    void router.push('/shop/c')
    loads[0]!.arrive()
    await settled()
    expect(notes.slice(2)).toEqual(['push /shop/b', 'push /shop/c'])
    expect(loads).toHaveLength(1)
  })

  test('N5 the target is loaded in full when the code cannot be loaded', async () => {
    void router.push('/shop/b?a=1#x')
    loads[0]!.fail()
    await settled()
    expect(notes.slice(1)).toEqual(['waiting for nothing', 'assign /shop/b?a=1#x'])
    // The network may have failed: the next navigation loads the code again.
    void router.replace('/shop/c')
    expect(loads).toHaveLength(2)
    loads[1]!.fail()
    await settled()
    expect(notes.at(-1)).toBe('swap /shop/c')
  })

  test('N5 the target is loaded in full, once, when the code is late', async () => {
    void router.push('/shop/b')
    await vi.advanceTimersByTimeAsync(ROUTE_LOAD_TIMEOUT_MS - 1)
    expect(notes).toEqual(['waiting for /shop/b'])
    await vi.advanceTimersByTimeAsync(1)
    expect(notes.slice(1)).toEqual(['waiting for nothing', 'assign /shop/b'])
    loads[0]!.arrive()
    await settled()
    expect(notes).toHaveLength(3)
  })

  test('N4 a javascript: URL is not followed when the code cannot be loaded', async () => {
    const done = router.push('javascript:alert(1)')
    loads[0]!.fail()
    await settled()
    expect(await done).toBe(false)
    expect(notes.slice(1)).toEqual(['waiting for nothing'])
  })

  test('N6 of two clicks the last one is loaded in full when the code is late', async () => {
    const first = router.push('/shop/b')
    await vi.advanceTimersByTimeAsync(1000)
    void router.push('/shop/c')
    await vi.advanceTimersByTimeAsync(ROUTE_LOAD_TIMEOUT_MS - 1000)
    expect(await first).toBe(false)
    expect(notes).toEqual(['waiting for /shop/b', 'waiting for /shop/c'])
    await vi.advanceTimersByTimeAsync(1000)
    expect(notes.slice(2)).toEqual(['waiting for nothing', 'assign /shop/c'])
  })

  test('N3 a step back waits for the router; without it the address is loaded', async () => {
    goTo('/shop/before')
    pop()
    expect(notes).toEqual(['waiting for /shop/before'])
    loads[0]!.fail()
    await settled()
    expect(notes.slice(1)).toEqual(['reload'])
    pop()
    loads[1]!.arrive()
    await settled()
    expect(notes.slice(2)).toEqual(['waiting for /shop/before', 'popped'])
  })

  test('N3 a step within the page loads nothing: the router is notified when its code arrives', async () => {
    goTo('/shop/a#part')
    pop()
    await vi.advanceTimersByTimeAsync(ROUTE_LOAD_TIMEOUT_MS * 2)
    expect(notes).toEqual(['waiting for nothing'])
    loads[0]!.arrive()
    await settled()
    expect(notes.slice(1)).toEqual(['popped'])
  })

  test('N3 a step within the page loads nothing when the router cannot be loaded', async () => {
    goTo('/shop/a#part')
    pop()
    loads[0]!.fail()
    await settled()
    expect(notes).toEqual(['waiting for nothing'])
  })

  test('N3 a step back and forward again loads nothing when the router cannot be loaded', async () => {
    goTo('/shop/before')
    pop()
    goTo('/shop/a')
    pop()
    loads[0]!.fail()
    await settled()
    expect(notes).toEqual(['waiting for /shop/before', 'waiting for nothing'])
  })

  test('N2 a click on a hash of the page is left to the browser, a click that replaces or keeps the scroll waits', async () => {
    expect(router.links.follow('#part', {})).toBe(false)
    expect(router.links.follow('/shop/a?q=1#part', {})).toBe(true)
    expect(router.links.follow('#part', { replace: true })).toBe(true)
    expect(router.links.follow('#part', { scroll: false })).toBe(true)
    loads[0]!.arrive()
    await settled()
    expect(notes.slice(3)).toEqual([
      'push http://site.example/shop/a?q=1#part',
      'replace http://site.example/shop/a#part',
      'push http://site.example/shop/a#part',
    ])
    expect(router.links.follow('#part', {})).toBe(true)
  })

  test('N2 a hash move resolves when the router cannot be loaded: the document stays', async () => {
    const done = router.push('/shop/a#part')
    loads[0]!.fail()
    expect(await done).toBe(true)
    expect(notes.slice(1)).toEqual(['waiting for nothing', 'assign /shop/a#part'])
  })

  test('N5 a page without its data is loaded in full when the router cannot be loaded', async () => {
    void router.refresh()
    loads[0]!.fail()
    await settled()
    void router.refresh()
    loads[1]!.arrive()
    await settled()
    expect(notes).toEqual(['full /shop/a code', 'refresh'])
  })

  test('N2 beforePopState can prevent the router’s step', async () => {
    router.beforePopState(({ url }) => url !== '/shop/a')
    pop()
    await settled()
    expect([notes, loads]).toEqual([[], []])
  })

  test('A6 data of an action waits for the router; without the router the page is loaded again', async () => {
    void router.applyData({ kind: 'not-found' }, '/shop/a')
    loads[0]!.arrive()
    await settled()
    expect(notes).toEqual(['apply /shop/a'])
  })

  test('P1 links in view are observed when the router arrives, removed links are not', async () => {
    const stop = router.links.observe(anchor, '/shop/b')
    router.links.observe(anchor, '/shop/c')()
    expect(loads).toEqual([])
    void router.load()
    loads[0]!.arrive()
    await settled()
    expect(notes).toEqual(['observe /shop/b'])
    stop()
    expect(notes.at(-1)).toBe('stop /shop/b')
  })

  test('P3 a prefetch that fails is silent', async () => {
    const done = router.prefetch('/shop/b')
    router.links.intend('/shop/b')
    loads[0]!.fail()
    await expect(done).resolves.toBeUndefined()
    expect(notes).toEqual([])
  })
})

test('N2 after the code has arrived calls reach the router immediately', async () => {
  void router.load()
  loads[0]!.arrive()
  await settled()
  void router.push('/shop/b')
  router.links.intend('/shop/c')
  router.onShown({ url: '/shop/b' } as View)
  pop()
  await settled()
  expect(notes.toSorted()).toEqual(['intend /shop/c', 'popped', 'push /shop/b', 'shown /shop/b'])
  expect(loads).toHaveLength(1)
})
