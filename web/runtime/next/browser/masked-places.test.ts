// Pages at the addresses of other pages (`as` of Next.js's router).

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { viewOf } from '../../browser/testing/router-words.ts'

/** The router with the places of a site of Next.js: tests of other files have loaded it with those of other sites. */
let noted: typeof import('../../browser/testing/noted-router.ts')
beforeAll(async () => {
  vi.doMock('../../browser/navigation/places.ts', () => import('./masked-places.ts'))
  vi.resetModules()
  noted = await import('../../browser/testing/noted-router.ts')
})
afterAll(() => {
  vi.doUnmock('../../browser/navigation/places.ts')
  vi.resetModules()
})
beforeEach(() => noted.setUpRouter())
afterEach(() => void vi.unstubAllGlobals())

const PHOTO = { url: '/shop/a?photo=7', query: { photo: '7' } }
const PAGE = { kind: 'view', view: { ...viewOf(PHOTO.url, '/a'), params: { id: '1' } }, isStale: false } as const

async function showPhoto(): Promise<void> {
  const done = noted.router.push('/shop/photos/7', { from: PHOTO })
  await noted.loads.at(-1)?.finish(PAGE)
  await done
}

test('X2 loads the page, shows the other address, and gives the page its own query', async () => {
  await showPhoto()
  expect(noted.loads[0]?.url).toBe('/shop/a?photo=7')
  expect(noted.notes.filter((note) => note !== 'top')).toEqual([
    'routeChangeStart /shop/photos/7',
    'push /shop/photos/7',
    'announce and focus',
    'routeChangeComplete /shop/photos/7',
  ])
  expect(noted.shown).toMatchObject({ route: '/a', url: '/shop/photos/7', params: { photo: '7', id: '1' } })
  expect(history.state).toMatchObject({ from: PHOTO })
})

test('X2 the next page has the parameters of its route only', async () => {
  await showPhoto()
  const done = noted.router.push('/shop/photos/7')
  await noted.loads.at(-1)?.finish({ ...PAGE, view: viewOf('/shop/photos/7', '/photos/[id]') })
  await done
  expect(noted.shown).toMatchObject({ route: '/photos/[id]', params: {} })
  expect('from' in noted.shown).toBe(false)
  expect(history.state).not.toHaveProperty('from')
})

test('X2 a shallow move on the page loads nothing; a move back has the query of the address again', async () => {
  const { state } = history
  expect(await noted.router.push('/shop/photos/7', { from: PHOTO, shallow: true })).toBe(true)
  expect(noted.loads).toEqual([])
  expect(noted.shown).toMatchObject({ route: '/shop/a', url: '/shop/photos/7', params: { photo: '7' } })
  expect(await noted.router.push('/shop/a?tab=2', { shallow: true })).toBe(true)
  expect(noted.shown).toMatchObject({ url: '/shop/a?tab=2', params: {} })
  expect(state).toBeNull()
})

test('X2 a step through history loads the page of the entry, not that of the address', async () => {
  noted.clearNotes()
  noted.pop('/shop/photos/7', { portico: 'key-9', from: PHOTO })
  expect(noted.loads[0]?.url).toBe('/shop/a?photo=7')
  await noted.loads[0]?.finish(PAGE)
  expect(noted.shown).toMatchObject({ url: '/shop/photos/7', params: { photo: '7' } })
  // Another script's entry has another script's state.
  noted.pop('/shop/photos/8', { from: PHOTO })
  expect(noted.loads[1]?.url).toBe('/shop/photos/8')
})

test('X2 a redirect of the page leads to its own address', async () => {
  const done = noted.router.push('/shop/photos/7', { from: PHOTO })
  await noted.loads[0]?.finish({ kind: 'redirect', location: '/shop/b' })
  expect(noted.loads[1]?.url).toBe('/shop/b')
  await noted.loads[1]?.finish({ ...PAGE, view: viewOf('/shop/b') })
  await done
  expect(history.state).not.toHaveProperty('from')
  expect(noted.shown.url).toBe('/shop/b')
})

test('X2 fresh data of the page keeps its address and its query', async () => {
  await showPhoto()
  const refreshed = noted.router.refresh()
  noted.fetched({ kind: 'page', route: '/a', params: {}, props: {} })
  await refreshed
  await noted.settled()
  expect(noted.shown).toMatchObject({ route: '/a', url: '/shop/photos/7', params: { photo: '7' } })
})

test.each([
  ['a text', '/list'],
  ['an object without an address', { page: 1 }],
  ['an address of another origin', { url: 'https://evil.example/a', query: {} }],
  ['an address with two slashes', { url: '//evil.example/a', query: {} }],
  ['no query', { url: '/shop/a' }],
])('X2 an entry whose `from` is that of another script, %s, is the page of its address', (_name, from) => {
  noted.pop('/shop/photos/9', { portico: 'key-9', from })
  expect(noted.loads.at(-1)?.url).toBe('/shop/photos/9')
})
