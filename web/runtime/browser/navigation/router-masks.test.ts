// Pages at the addresses of other pages (`as` of Next.js's router).

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

vi.mock('../places/places.ts', () => import('../places/masked-places.ts'))

import { clearNotes, fetched, loads, notes, pop, router, settled, setUpRouter, shown } from '../testing/noted-router.ts'
import { viewOf } from '../testing/router-words.ts'

beforeEach(setUpRouter)
afterEach(() => void vi.unstubAllGlobals())

const PHOTO = { url: '/shop/a?photo=7', query: { photo: '7' } }
const PAGE = { kind: 'view', view: { ...viewOf(PHOTO.url, '/a'), params: { id: '1' } }, isStale: false } as const

async function showPhoto(): Promise<void> {
  const done = router.push('/shop/photos/7', { from: PHOTO })
  await loads.at(-1)?.finish(PAGE)
  await done
}

test('X2 loads the page, shows the other address, and gives the page the query of its own', async () => {
  await showPhoto()
  expect(loads[0]?.url).toBe('/shop/a?photo=7')
  expect(notes.filter((note) => !note.startsWith('scroll'))).toEqual([
    'routeChangeStart /shop/photos/7',
    'push /shop/photos/7',
    'announce and focus',
    'routeChangeComplete /shop/photos/7',
  ])
  expect(shown).toMatchObject({ route: '/a', url: '/shop/photos/7', params: { photo: '7', id: '1' } })
  expect(history.state).toMatchObject({ from: PHOTO })
})

test('X2 the next page has the parameters of its route only', async () => {
  await showPhoto()
  const done = router.push('/shop/photos/7')
  await loads.at(-1)?.finish({ ...PAGE, view: viewOf('/shop/photos/7', '/photos/[id]') })
  await done
  expect(shown).toMatchObject({ route: '/photos/[id]', params: {} })
  expect('from' in shown).toBe(false)
  expect(history.state).not.toHaveProperty('from')
})

test('X2 a shallow move on the page loads nothing; a move back has the query of the address again', async () => {
  const { state } = history
  expect(await router.push('/shop/photos/7', { from: PHOTO, shallow: true })).toBe(true)
  expect(loads).toEqual([])
  expect(shown).toMatchObject({ route: '/shop/a', url: '/shop/photos/7', params: { photo: '7' } })
  expect(await router.push('/shop/a?tab=2', { shallow: true })).toBe(true)
  expect(shown).toMatchObject({ url: '/shop/a?tab=2', params: {} })
  expect(state).toBeNull()
})

test('X2 a step through history loads the page of the entry, not that of the address', async () => {
  clearNotes()
  pop('/shop/photos/7', { portico: 'key-9', from: PHOTO })
  expect(loads[0]?.url).toBe('/shop/a?photo=7')
  await loads[0]?.finish(PAGE)
  expect(shown).toMatchObject({ url: '/shop/photos/7', params: { photo: '7' } })
  // Another script's entry has another script's state.
  pop('/shop/photos/8', { from: PHOTO })
  expect(loads[1]?.url).toBe('/shop/photos/8')
})

test('X2 a redirect of the page leads to its own address', async () => {
  const done = router.push('/shop/photos/7', { from: PHOTO })
  await loads[0]?.finish({ kind: 'redirect', location: '/shop/b' })
  expect(loads[1]?.url).toBe('/shop/b')
  await loads[1]?.finish({ ...PAGE, view: viewOf('/shop/b') })
  await done
  expect(history.state).not.toHaveProperty('from')
  expect(shown.url).toBe('/shop/b')
})

test('X2 fresh data of the page keeps its address and its query', async () => {
  await showPhoto()
  const refreshed = router.refresh()
  fetched({ kind: 'page', route: '/a', params: {}, props: {} })
  await refreshed
  await settled()
  expect(shown).toMatchObject({ route: '/a', url: '/shop/photos/7', params: { photo: '7' } })
})
