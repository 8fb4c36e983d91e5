// Navigations: what is loaded, written to history, scrolled to and announced.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  clearNotes,
  events,
  loaded,
  loads,
  notes,
  pending,
  pop,
  prefetchAll,
  router,
  setUpRouter,
  shown,
} from '../testing/noted-router.ts'
import { viewOf } from '../testing/router-words.ts'
import { RouteLoadError } from '../views/load-route.ts'

beforeEach(setUpRouter)
afterEach(() => void vi.unstubAllGlobals())

describe('navigation', () => {
  test('N2 push writes history, shows the page, then scrolls, announces and resolves', async () => {
    const done = router.push('/shop/b#part')
    expect([pending, notes]).toEqual(['/shop/b#part', ['routeChangeStart /shop/b#part']])
    await loads[0]!.finish(loaded('/shop/b#part'))
    expect(await done).toBe(true)
    expect(notes.slice(1)).toEqual([
      'push /shop/b#part',
      'top',
      'scroll #part',
      'announce and focus',
      'routeChangeComplete /shop/b#part',
    ])
    expect([pending, shown.route]).toEqual([undefined, '/shop/b#part'])
  })

  test.each(['javascript:alert(1)', ' java\tscript:alert(1)', 'JavaScript:alert(1)'])(
    'N4 %j is not followed',
    async (url) => {
      await expect(router.push(url)).rejects.toThrow('javascript:')
      await expect(router.replace(url)).rejects.toThrow('javascript:')
      expect([notes, loads]).toEqual([[], []])
    },
  )

  test('N2 P3 push of a page that was prefetched whole shows the page immediately, in the same order', async () => {
    prefetchAll(viewOf('/shop/b'))
    const done = router.push('/shop/b')
    expect(shown.url).toBe('/shop/b')
    expect(await done).toBe(true)
    expect(notes).toEqual([
      'routeChangeStart /shop/b',
      'push /shop/b',
      'top',
      'announce and focus',
      'routeChangeComplete /shop/b',
    ])
    expect([loads, pending]).toEqual([[], undefined])
  })

  test('N2 P3 the address that is shown is loaded again, whatever was prefetched', async () => {
    const { url } = shown
    prefetchAll(viewOf(url))
    const done = router.replace(url)
    await loads[0]!.finish(loaded(url))
    expect(await done).toBe(true)
  })

  test('N2 X2 a step between entries of shallow navigations loads nothing', async () => {
    await router.push('/shop/a?q=1', { shallow: true })
    const { state } = history
    await router.push('/shop/a?q=2', { shallow: true })
    pop('/shop/a?q=1', state)
    expect(shown.url).toBe('/shop/a?q=1')
    expect(loads).toEqual([])
    pop('/shop/a', null)
    expect(loads).toHaveLength(1)
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

  test('N2 a hash move after a navigation writes one entry, and does not repeat the navigation', async () => {
    const done = router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b'))
    await done
    clearNotes()
    expect(await router.push('#part')).toBe(true)
    expect(notes).toEqual(['push /shop/b#part', 'scroll #part', 'hashChangeComplete /shop/b#part'])
    expect(location.hash).toBe('#part')
    clearNotes()
    pop('/shop/b#other', null)
    expect(notes).toEqual(['hashChangeComplete /shop/b#other'])
    expect(shown.url).toBe('/shop/b#other')
    expect(history.state).toEqual({ portico: 'key-3' })
  })

  test('N2 N3 a step to an entry that another script made shows its page, and keeps its state', async () => {
    pop('/shop/made?tab=2', { own: true })
    await loads[0]!.finish(loaded('/shop/made?tab=2'))
    expect(shown.url).toBe('/shop/made?tab=2')
    expect(history.state).toEqual({ own: true, portico: 'key-1' })
  })

  test('N3 back loads the page and restores its scroll without writing history', async () => {
    const done = router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b'))
    await done
    clearNotes()
    pop('/shop/a', { portico: 'key-old' })
    await loads[1]!.finish(loaded('/shop/a'))
    expect(notes).toEqual([
      'routeChangeStart /shop/a',
      'restore key-old',
      'announce and focus',
      'routeChangeComplete /shop/a',
    ])
  })

  test('N4 addresses outside the router are left to the browser', () => {
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

  test('N5 a page that cannot be loaded is loaded in full', async () => {
    void router.push('/shop/b?a=1#x')
    await loads[0]!.fail(new RouteLoadError('code-late'))
    expect(notes.at(-1)).toBe('full /shop/b?a=1#x code-late')
    expect(pending).toBeUndefined()
  })

  test.each([
    ['code-late', 'Failed to load the page (code-late)'],
    ['data-status', 'Failed to load static props'],
  ])('N2 X2 routeChangeError reports a page that cannot be loaded, as Next.js does: %s', async (reason, message) => {
    const errors: unknown[] = []
    events.on('routeChangeError', (error) => void errors.push(error))
    void router.push('/shop/b')
    await loads[0]!.fail(new RouteLoadError(reason))
    expect(errors).toEqual([new Error(message)])
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
