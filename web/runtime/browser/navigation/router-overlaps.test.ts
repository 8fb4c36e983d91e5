// Fresh data for the page shown, and pages that are committed and not in the document yet.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  clearNotes,
  events,
  failCode,
  fetched,
  held,
  hold,
  loaded,
  loads,
  notes,
  pending,
  pop,
  putInDocument,
  release,
  router,
  settled,
  setUpRouter,
  shown,
  startRouter,
} from '../testing/noted-router.ts'
import { viewOf } from '../testing/router-words.ts'
import { RouteLoadError } from '../views/load-route.ts'

beforeEach(setUpRouter)
afterEach(() => void vi.unstubAllGlobals())

/** Goes to /shop/b, which React has not put into the document yet. */
async function commit() {
  hold()
  const moved = router.push('/shop/b')
  await loads[0]!.finish(loaded('/shop/b'))
  return { moved }
}

describe('fresh data', () => {
  const dataOf = (route: string) => ({ kind: 'page', route, params: {}, props: {} }) as const

  test('P3 an old prefetched page is shown immediately and refreshed behind', async () => {
    void router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b', true))
    expect(shown.route).toBe('/shop/b')
    fetched(dataOf('/fresh'))
    await settled()
    expect([shown.route, shown.url]).toEqual(['/fresh', '/shop/b'])
    expect(notes.filter((note) => note.startsWith('push'))).toEqual(['push /shop/b'])
  })

  test('D2 a shell whose data cannot be fetched is loaded in full', async () => {
    startRouter({ ...viewOf('/shop/a'), isFallback: true })
    const refreshing = router.refresh()
    fetched(undefined)
    await refreshing
    expect(notes).toEqual(['full /shop/a data-fallback'])
  })

  test('P3 fresh data that arrives after the page was left is ignored', async () => {
    const refreshing = router.refresh()
    const done = router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b'))
    await done
    fetched(dataOf('/of-a'))
    await refreshing
    expect(shown.route).toBe('/shop/b')
  })

  test('A6 data of an action is shown on the page that called it, and on no other', async () => {
    await router.applyData(dataOf('/fresh'), '/shop/a')
    expect([shown.route, shown.url]).toEqual(['/fresh', '/shop/a'])
    const done = router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b'))
    await done
    await router.applyData(dataOf('/late'), '/shop/a')
    expect(shown.route).toBe('/shop/b')
  })

  test('V1 N6 fresh data is fetched and shown after an aborted navigation, too', async () => {
    void router.push('/shop/b')
    void router.push('#part')
    expect(loads[0]!.signal.aborted).toBe(true)
    const refreshing = router.refresh()
    fetched(dataOf('/fresh'))
    await refreshing
    expect([shown.route, shown.url]).toEqual(['/fresh', '/shop/a#part'])
  })

  test('N5 A6 the page is loaded in full when the code that fresh data needs cannot be loaded', async () => {
    void router.push('#part')
    clearNotes()
    failCode(new RouteLoadError('manifest-late'))
    await router.applyData({ kind: 'not-found' }, '/shop/a')
    expect(notes).toEqual(['full /shop/a#part manifest-late'])
  })

  test('N6 P3 data for the page shown does not replace the committed page', async () => {
    void router.push('/shop/b')
    await loads[0]!.finish(loaded('/shop/b', true))
    hold()
    pop('/shop/a', { portico: 'key-first' })
    await loads[1]!.finish(loaded('/shop/a'))
    fetched(dataOf('/fresh'))
    await settled()
    release()
    expect(shown).toMatchObject({ url: '/shop/a', route: '/shop/a' })
    expect(notes.at(-1)).toBe('routeChangeComplete /shop/a')
  })

  test('A6 data for the committed page is shown with its navigation', async () => {
    hold()
    const moved = router.replace('/shop/a')
    await loads[0]!.finish(loaded('/shop/a'))
    await router.applyData(dataOf('/fresh'), '/shop/a')
    release()
    expect(shown.route).toBe('/fresh')
    expect(await moved).toBe(true)
  })

  test('N6 a page that is shown after a step back writes no history', async () => {
    await commit()
    clearNotes()
    pop('/shop/z', { portico: 'key-z' })
    release()
    await loads[1]!.finish(loaded('/shop/z'))
    expect(notes.filter((note) => /^(push|replace) /.test(note))).toEqual([])
    expect(shown.url).toBe('/shop/z')
  })

  test('N2 X2 the address is written before React renders the page, and once', async () => {
    hold()
    void router.push('/shop/b')
    expect(location.pathname).toBe('/shop/a')
    await loads[0]!.finish(loaded('/shop/b'))
    expect([location.pathname, shown.url]).toEqual(['/shop/b', '/shop/a'])
    release()
    expect(notes.filter((note) => /^(push|replace|top)/.test(note))).toEqual(['push /shop/b', 'top'])
  })

  test('N6 a navigation is under way until its page is in the document', async () => {
    await commit()
    expect(pending).toBe('/shop/b')
    release()
    expect(pending).toBeUndefined()
  })

  test('N2 N6 a hash move on the committed page shows that page, and writes both entries', async () => {
    const { moved } = await commit()
    void router.push('/shop/b#part')
    release()
    expect(await moved).toBe(true)
    expect(shown).toMatchObject({ route: '/shop/b', url: '/shop/b#part' })
    expect(notes.filter((note) => /^(push|replace|scroll) /.test(note))).toEqual([
      'push /shop/b',
      'push /shop/b#part',
      'scroll #part',
    ])
    expect(pending).toBeUndefined()
  })

  test('N2 N3 N6 a page that React shows twice scrolls to its top once, and writes both entries once', async () => {
    await commit()
    const first = held!
    void router.push('/shop/b#part')
    putInDocument(first)
    release()
    expect(notes.filter((note) => /^(push|replace) /.test(note))).toEqual(['push /shop/b', 'push /shop/b#part'])
    expect(notes.filter((note) => note === 'top')).toEqual(['top'])
    expect(shown.url).toBe('/shop/b#part')
  })

  test('N3 N6 a step back to an older entry of the committed page shows that page', async () => {
    await commit()
    clearNotes()
    pop('/shop/b', { portico: 'key-old' })
    release()
    expect(shown).toMatchObject({ route: '/shop/b', url: '/shop/b' })
    expect(notes.filter((note) => /^(push|replace|restore) /.test(note))).toEqual(['restore key-old'])
  })

  test('N2 N6 a shallow move of the page shown ends the navigation of the committed page', async () => {
    const { moved } = await commit()
    void router.replace('/shop/a?q=1', { shallow: true })
    expect(await moved).toBe(false)
    release()
    expect(shown).toMatchObject({ route: '/shop/a', url: '/shop/a?q=1' })
    expect(pending).toBeUndefined()
  })

  test('A6 N2 fresh data stays when the page moves within itself before it is shown', async () => {
    hold()
    await router.applyData(dataOf('/fresh'), '/shop/a')
    void router.push('#part')
    release()
    expect(shown).toMatchObject({ route: '/fresh', url: '/shop/a#part' })
  })

  test('N6 a page that React shows before a later one has its own history entry', async () => {
    const { moved: first } = await commit()
    const ofFirst = held!
    const second = router.push('/shop/c')
    await loads[1]!.finish(loaded('/shop/c'))
    putInDocument(ofFirst)
    expect(pending).toBe('/shop/c')
    release()
    expect(notes.filter((note) => note.startsWith('push'))).toEqual(['push /shop/b', 'push /shop/c'])
    expect(await Promise.all([first, second])).toEqual([true, true])
    expect(pending).toBeUndefined()
  })

  test('N6 of pages that React never shows each navigation resolves false', async () => {
    const { moved: first } = await commit()
    const second = router.push('/shop/c')
    await loads[1]!.finish(loaded('/shop/c'))
    void router.replace('/shop/a?q=1', { shallow: true })
    expect(await Promise.all([first, second])).toEqual([false, false])
  })
})

describe('listeners', () => {
  test('N2 N6 one that navigates ends the navigation that it is notified of', async () => {
    events.on('routeChangeStart', (url) => {
      if (url === '/shop/b') void router.push('/shop/c')
    })
    expect(await router.push('/shop/b')).toBe(false)
    expect(notes).toEqual(['routeChangeStart /shop/b', 'routeChangeError /shop/b', 'routeChangeStart /shop/c'])
    expect(loads.map(({ url, signal }) => [url, signal.aborted])).toEqual([
      ['/shop/b', true],
      ['/shop/c', false],
    ])
    expect(pending).toBe('/shop/c')
  })

  test('N2 one that throws keeps its navigation from loading, and no later one', () => {
    const refuse = () => {
      throw new Error('stay')
    }
    events.on('routeChangeStart', refuse)
    expect(() => router.push('/shop/b')).toThrow('stay')
    events.off('routeChangeStart', refuse)
    void router.push('/shop/c')
    expect(loads.map(({ url }) => url)).toEqual(['/shop/c'])
    expect(pending).toBe('/shop/c')
  })
})
