// Loads the view of an address: which page, which data, and what cannot be loaded.

import type { PageData } from '@portico/shared/wire/page-data.ts'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ViewProps } from '../../react/page-types.ts'
import type { PageComponent, View } from '../view.ts'
import type { DataResult } from './fetch-page-data.ts'
import type { Prefetcher } from './prefetch.ts'
import type { ViewLoader } from './views.ts'

/** The props of a site of Next.js. */
let ownProps: ViewProps | undefined
vi.mock('./view-props.ts', () => ({
  get viewProps() {
    return ownProps
  },
}))
// Another test of this process may have loaded the modules, and with them the props of other sites.
vi.resetModules()
const { RouteLoadError } = await import('./load-route.ts')
const { createViewLoader } = await import('./views.ts')
afterAll(() => vi.resetModules())

const signal = new AbortController().signal
const pageNames = new Map<PageComponent, string>()
let notes: string[]
let kept: ReturnType<Prefetcher['take']>
let result: DataResult
let views: ViewLoader
/** Modules that have run. */
let ran: Set<string>
/** Why the manifest cannot be loaded. */
let refusal: Error | undefined
let hasOwnScreen: boolean
/** Patterns of middleware. */
let guarded: string[] | undefined
/** Whether the 404 page has a data function. */
let hasData: boolean

const filesOf = (module: string) => ({ module, imports: [], styles: [] })

afterEach(() => vi.unstubAllEnvs())

beforeEach(() => {
  notes = []
  kept = undefined
  refusal = undefined
  hasData = false
  guarded = undefined
  hasOwnScreen = true
  ownProps = undefined
  ran = new Set()
  result = dataOf({ kind: 'page', route: '/server/[id]', params: { id: '1' }, props: { fetched: true } })
  views = createViewLoader({
    basePath: '/shop',
    trailingSlash: false,
    buildId: 'b1',
    documentRoute: '/still',
    loader: {
      manifest: async () => {
        if (refusal) throw refusal
        return {
          buildId: 'b1',
          ...(guarded && { guarded }),
          pages: [
            { pattern: '/server/[id]', data: 'server', files: filesOf('server') },
            { pattern: '/still', data: 'static', files: filesOf('still') },
            { pattern: '/initial', data: 'initial', files: filesOf('initial') },
            { pattern: '/strict', data: 'static', files: filesOf('strict'), policy: 1 },
          ],
          screens: [
            ...(hasOwnScreen ? [{ pattern: '/404', files: filesOf('own-404'), ...(hasData && { hasData }) }] : []),
            { pattern: '/_error', files: filesOf('own-error') },
          ],
        }
      },
      load: async ({ module }) => {
        notes.push(`code ${module}`)
        const Page: PageComponent = () => null
        pageNames.set(Page, module)
        return { Page, styles: [`${module}.css`] }
      },
      ready: ({ module }) => (ran.has(module) ? { Page: () => null, styles: [] } : undefined),
      prefetch: ({ module }, intent) => void notes.push(`prefetch code ${module}${intent ? ' and run it' : ''}`),
    },
    fetchData: async (url, { retry }) => {
      notes.push(`data ${url}${retry ? ' with retries' : ''}`)
      return result
    },
    prefetcher: {
      request: (url, priority) => void notes.push(`prefetch data ${url} ${priority}`),
      cancel: () => {},
      take: () => kept,
      used: () => {},
      abortOthers: (url) => void notes.push(`abort others ${url}`),
      drop: (url) => void notes.push(`drop ${url}`),
      clear: () => {},
    },
  })
})

function dataOf(data: PageData): DataResult {
  return { kind: 'data', data, isPrivate: false }
}

async function viewAt(url: string): Promise<View & { code: string | undefined; isStale: boolean }> {
  const loaded = await views.load(url, signal)
  if (loaded.kind !== 'view') throw new Error(loaded.kind)
  return { ...loaded.view, code: pageNames.get(loaded.view.Page), isStale: loaded.isStale }
}

test('D4 data of a server-rendered page is fetched with retries, that of a static page without', async () => {
  expect(await viewAt('/shop/server/1?a=1#x')).toMatchObject({ route: '/server/[id]', code: 'server', isStale: false })
  expect(notes).toEqual([
    'abort others /shop/server/1?a=1',
    'code server',
    'data /shop/_portico/data/b1/server/1.json?a=1 with retries',
  ])
  notes = []
  result = dataOf({ kind: 'page', route: '/still', params: {}, props: {} })
  await viewAt('/shop/still')
  expect(notes.at(-1)).toBe('data /shop/_portico/data/b1/still.json')
})

test('X2 in a site of Next.js data is fetched once: after an error the browser loads the document', async () => {
  ownProps = { load: async () => ({ kind: 'not-found' }), ofScreen: async () => ({}) }
  result = { kind: 'unusable', reason: 'status', status: 500 }
  await expect(views.load('/shop/server/1', signal)).rejects.toMatchObject({ reason: 'data-status' })
  expect(notes).toContain('data /shop/_portico/data/b1/server/1.json')
})

test('P3 a prefetched entry is used instead, and an old one is marked stale', async () => {
  const data: PageData = { kind: 'page', route: '/still', params: {}, props: { prefetched: true } }
  for (const isFresh of [true, false]) {
    kept = Promise.resolve({ data, isFresh })
    expect(await viewAt('/shop/still')).toMatchObject({ props: { prefetched: true }, isStale: !isFresh })
  }
  expect(notes.some((note) => note.startsWith('data'))).toBe(false)
})

test('R7 a rewrite loads the code of the page that it leads to', async () => {
  result = dataOf({ kind: 'page', route: '/still', params: {}, props: {} })
  expect(await viewAt('/shop/server/1')).toMatchObject({
    route: '/still',
    code: 'still',
    styles: ['still.css'],
    url: '/shop/server/1',
  })
})

test('X4 an address that a rewrite leads to another host is loaded as a document, each time', async () => {
  // The response of the gateway: an error of this build, which is no page data.
  result = { kind: 'unusable', reason: 'content-type', status: 404 }
  for (let click = 0; click < 2; click++)
    await expect(views.load('/shop/server/1', signal)).rejects.toMatchObject({ reason: 'no-route' })
  result = { kind: 'unusable', reason: 'content-type', status: 200 }
  await expect(views.load('/shop/server/1', signal)).rejects.toMatchObject({ reason: 'data-content-type' })
})

test('E1 not found shows the 404 page under the address', async () => {
  result = dataOf({ kind: 'not-found' })
  expect(await viewAt('/shop/server/1')).toMatchObject({
    route: '/404',
    code: 'own-404',
    props: { statusCode: 404 },
    url: '/shop/server/1',
  })
})

test('X3 the default screen of a missing page has the route of _error in a site of Next.js', async () => {
  ownProps = { load: async () => ({ kind: 'not-found' }), ofScreen: async () => ({}) }
  hasOwnScreen = false
  result = dataOf({ kind: 'not-found' })
  expect(await viewAt('/shop/server/1')).toMatchObject({ route: '/_error', props: { statusCode: 404 } })
})

test('X9 a missing page is loaded in full if the 404 page has data', async () => {
  hasData = true
  result = dataOf({ kind: 'not-found' })
  await expect(views.load('/shop/server/1', signal)).rejects.toMatchObject({ reason: 'no-route' })
})

test('X2 the error page in place of another address is the screen of a missing page, at its own address no page', async () => {
  const loaded = await views.load('/shop/_error', signal, '/shop/gone')
  expect(loaded).toMatchObject({ kind: 'view', view: { route: '/_error', props: { statusCode: 404 } } })
  await expect(views.load('/shop/_error', signal)).rejects.toMatchObject({ reason: 'no-route' })
})

test('W6 data after an action has the values of its promises, and the page reads them as promises', async () => {
  const props = { late: { $deferred: 0 } }
  const data: PageData = { kind: 'page', route: '/still', params: {}, props, deferred: [{ n: 0, value: 'here' }] }
  const loaded = await views.apply(data, await viewAt('/shop/still'))
  if (loaded.kind !== 'view') throw new Error(loaded.kind)
  expect(await loaded.view.props.late).toBe('here')
})

test('P4 a refusal shows the _error page with its status under the address', async () => {
  result = dataOf({ kind: 'refused', status: 403 })
  expect(await viewAt('/shop/server/1')).toMatchObject({
    route: '/_error',
    code: 'own-error',
    props: { statusCode: 403 },
    url: '/shop/server/1',
  })
})

test('A6 fresh data of the page shown needs nothing else; data of another page loads its code', async () => {
  const shown = await viewAt('/shop/still')
  const { Page, styles } = shown
  refusal = new RouteLoadError('manifest')
  const fresh: PageData = { kind: 'page', route: shown.route, params: {}, props: { fresh: true } }
  expect(await views.apply(fresh, shown)).toMatchObject({ view: { Page, styles, props: { fresh: true } } })
  await expect(views.apply({ ...fresh, route: '/still' }, shown)).rejects.toBe(refusal)
  refusal = undefined
  expect(await views.apply({ ...fresh, route: '/still' }, shown)).toMatchObject({ view: { styles: ['still.css'] } })
})

test('D3 a redirect gets the basePath, another site stays as it is', async () => {
  for (const [location, wanted] of [
    ['/still', '/shop/still'],
    ['https://other.example/', 'https://other.example/'],
  ] as const) {
    result = dataOf({ kind: 'redirect', location, status: 307 })
    expect(await views.load('/shop/server/1', signal)).toEqual({ kind: 'redirect', location: wanted })
  }
})

test('D3 P3 a prefetched redirect is followed by a navigation alone', async () => {
  kept = { data: { kind: 'redirect', location: '/still', status: 307 }, isFresh: true }
  await views.prefetch('/shop/server/1', 'intent')
  expect(views.ready('/shop/server/1')).toBeUndefined()
  expect(notes).toEqual(['prefetch code server and run it', 'prefetch data /shop/server/1 intent'])
  expect(await views.load('/shop/server/1', signal)).toEqual({ kind: 'redirect', location: '/shop/still' })
  expect(notes.filter((note) => note.startsWith('data'))).toEqual([])
})

test('N4 N5 an address without a route, and data that cannot be used, reject with the reason', async () => {
  for (const url of ['/shop/nothing', '/elsewhere', '/shop/%E0%A4'])
    await expect(views.load(url, signal), url).rejects.toMatchObject({ reason: 'no-route' })
  result = { kind: 'unusable', reason: 'status', status: 500 }
  await expect(views.load('/shop/still', signal)).rejects.toMatchObject({ reason: 'data-status' })
  result = dataOf({ kind: 'page', route: '/of-another-build', params: {}, props: {} })
  await expect(views.load('/shop/still', signal)).rejects.toMatchObject({ reason: 'no-route' })
})

test('X15 a path that middleware may serve shows the page of its data, or follows its redirect, without a document', async () => {
  vi.stubEnv('PORTICO_REWRITES', 'on')
  guarded = ['/moved/[p1]', '/moved/[[...rest]]']
  result = dataOf({ kind: 'page', route: '/still', params: {}, props: { of: 'middleware' } })
  expect(await viewAt('/shop/moved/1?a=1#x')).toMatchObject({
    route: '/still',
    code: 'still',
    url: '/shop/moved/1?a=1#x',
  })
  expect(notes).toContain('data /shop/_portico/data/b1/moved/1.json?a=1')
  result = dataOf({ kind: 'redirect', location: '/still', status: 307 })
  expect(await views.load('/shop/moved/1', signal)).toEqual({ kind: 'redirect', location: '/shop/still' })
  // Each time as a plain link: the response of middleware, and a path that nothing serves, are documents.
  const others: DataResult[] = [
    { kind: 'unusable', reason: 'content-type', status: 200 },
    { kind: 'unusable', reason: 'foreign-build', status: 200 },
    dataOf({ kind: 'not-found' }),
    dataOf({ kind: 'refused', status: 403 }),
  ]
  for (result of others) await expect(views.load('/shop/moved/1', signal)).rejects.toMatchObject({ reason: 'no-route' })
  notes = []
  await expect(views.load('/shop/nothing', signal)).rejects.toMatchObject({ reason: 'no-route' })
  expect(notes.filter((note) => note.startsWith('data'))).toEqual([])
})

test('P1 a link in view prefetches code, and data of static pages; intent prefetches data too', async () => {
  await views.prefetch('/shop/server/1#x', 'view')
  await views.prefetch('/shop/still', 'view')
  await views.prefetch('/shop/server/1#x', 'intent')
  await views.prefetch('/shop/nothing', 'intent')
  expect(notes).toEqual([
    'prefetch code server',
    'prefetch code still',
    'prefetch data /shop/still view',
    'prefetch code server and run it',
    'prefetch data /shop/server/1 intent',
  ])
})

test('X11 a prefetch of a page with initial props fetches its code, and no data', async () => {
  await views.prefetch('/shop/initial', 'view')
  await views.prefetch('/shop/initial', 'intent')
  expect(notes).toEqual(['prefetch code initial', 'prefetch code initial and run it'])
})

test('P3 an address is ready when code, stylesheets and data were prefetched, and not otherwise', async () => {
  const page: PageData = { kind: 'page', route: '/still', params: {}, props: { prefetched: true } }
  const entry = { data: page, isFresh: false }
  ran.add('still')
  kept = entry
  // Before the list of routes has arrived.
  expect(views.ready('/shop/still')).toBeUndefined()
  await views.prefetch('/shop/still', 'view')
  notes = []
  expect(views.ready('/shop/still#x')).toMatchObject({
    view: { route: '/still', url: '/shop/still#x', props: { prefetched: true } },
    isStale: true,
  })
  expect(notes).toEqual(['abort others /shop/still'])
  const lacking: [ReturnType<Prefetcher['take']>, string][] = [
    [undefined, '/shop/still'],
    [Promise.resolve(entry), '/shop/still'],
    [{ data: { kind: 'not-found' }, isFresh: true }, '/shop/still'],
    [{ data: { ...page, route: '/server/[id]' }, isFresh: true }, '/shop/still'],
    [entry, '/shop/nothing'],
  ]
  for (const [given, url] of lacking) {
    kept = given
    expect(views.ready(url)).toBeUndefined()
  }
  kept = entry
  ran.clear()
  expect(views.ready('/shop/still')).toBeUndefined()
  expect(notes).toHaveLength(1)
})

test('G6 a page with another policy than the document is loaded as a document, also behind a rewrite', async () => {
  await expect(views.load('/shop/strict', signal)).rejects.toMatchObject({ reason: 'policy' })
  expect(notes).toEqual(['abort others /shop/strict'])
  await views.prefetch('/shop/strict', 'intent')
  expect(notes).toHaveLength(1)
  kept = { data: { kind: 'page', route: '/strict', params: {}, props: {} }, isFresh: true }
  ran.add('strict')
  expect(views.ready('/shop/strict')).toBeUndefined()
  await expect(views.load('/shop/still', signal)).rejects.toMatchObject({ reason: 'policy' })
})
