// What a route needs: the manifest with its time limit, code and stylesheets that were prefetched.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import Page from '../testing/page.ts'
import { createRouteLoader } from './load-route.ts'

const MANIFEST = { buildId: 'build-1', pages: [], screens: [] }
/** A module on disk: names that begin with a slash are addresses already. */
const MODULE = new URL('../testing/page.ts', import.meta.url).pathname
/** Hashed files are next to the script. */
const besideScript = (name: string) => new URL(name, new URL('../stylesheets.ts', import.meta.url)).href
let respond: () => Promise<Response>
let links: { rel: string; href: string; media?: string; fetchPriority?: string; onload: () => void }[]
let requested: string[]
let priorities: (string | undefined)[]

beforeEach(() => {
  requested = []
  priorities = []
  links = []
  vi.stubGlobal('document', {
    querySelectorAll: () => [],
    createElement: () => ({ remove: () => {} }),
    head: {
      append: (link: (typeof links)[number]) => void links.push(link),
      prepend: (...sheets: typeof links) => void links.push(...sheets),
    },
  })
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
    requested.push(url)
    priorities.push(init?.priority)
    return respond()
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function loaded(body: unknown = MANIFEST, status = 200, build = 'build-1'): () => Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return async () => new Response(text, { status, headers: { 'portico-build': build } })
}

test('W1 the manifest is requested once, at the address of its build', async () => {
  respond = loaded()
  const loader = createRouteLoader({ basePath: '/shop', buildId: 'build-1' })
  expect(await Promise.all([loader.manifest(), loader.manifest()])).toEqual([MANIFEST, MANIFEST])
  expect(requested).toEqual(['/shop/_portico/manifest/build-1.json'])
})

test('N5 a manifest that takes longer than 3800 ms fails, and is requested again by the next navigation', async () => {
  vi.useFakeTimers()
  const set = vi.spyOn(globalThis, 'setTimeout')
  const clear = vi.spyOn(globalThis, 'clearTimeout')
  respond = () => new Promise(() => {})
  const loader = createRouteLoader({ basePath: '', buildId: 'build-1' })
  let reason: unknown
  const late = loader.manifest().catch((error: { reason: string }) => {
    reason = error.reason
  })
  await vi.advanceTimersByTimeAsync(3799)
  expect(reason).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  await late
  expect(reason).toBe('manifest-late')
  respond = loaded()
  expect(await loader.manifest()).toEqual(MANIFEST)
  // Not vi.getTimerCount(): while this test waits, work that other files of the process left behind may set timers, too.
  const limit = set.mock.results.findLast((_, at) => set.mock.calls[at]![1] === 3800)
  expect(clear.mock.calls.flat()).toContain(limit?.value)
})

test('N5 a status, a foreign build, rubbish and no network each have their reason', async () => {
  const cases: [() => Promise<Response>, string][] = [
    [loaded(MANIFEST, 500), 'manifest-status'],
    [loaded(MANIFEST, 404), 'manifest-status'],
    [loaded(MANIFEST, 200, 'build-2'), 'foreign-build'],
    [loaded({ ...MANIFEST, buildId: 'build-2' }), 'foreign-build'],
    [loaded('<p>'), 'manifest'],
    [() => Promise.reject(new TypeError('network')), 'manifest'],
  ]
  for (const [given, reason] of cases) {
    respond = given
    const loader = createRouteLoader({ basePath: '', buildId: 'build-1' })
    await expect(loader.manifest(), reason).rejects.toMatchObject({ reason })
  }
})

test('P1 P3 what a pointer is on is ready when its module was run and its stylesheet came', async () => {
  const loader = createRouteLoader({ basePath: '', buildId: 'build-1' })
  const files = { module: MODULE, imports: ['shared.js'], styles: ['page.css'] }
  loader.prefetch(files, false)
  expect(links.map(({ rel, href }) => `${rel} ${href}`)).toEqual([
    `modulepreload ${besideScript(MODULE)}`,
    `modulepreload ${besideScript('shared.js')}`,
    `stylesheet ${besideScript('page.css')}`,
  ])
  const sheet = links[2]!
  sheet.onload()
  expect(loader.ready(files)).toBeUndefined()
  loader.prefetch(files, true)
  await vi.waitUntil(() => loader.ready(files))
  expect(loader.ready(files)).toEqual({ Page, styles: [sheet.href] })
  // It applies with the page's first view.
  expect([sheet.media, links.length]).toEqual(['not all', 3])
})

test('P1 code of a link in view has low priority, as has the manifest; that of a link under the pointer has not', async () => {
  respond = loaded()
  const loader = createRouteLoader({ basePath: '', buildId: 'build-1' })
  loader.prefetch({ module: MODULE, imports: ['shared.js'], styles: [] }, false)
  loader.prefetch({ module: MODULE, imports: ['other.js'], styles: [] }, true)
  expect(links.map(({ fetchPriority }) => fetchPriority)).toEqual(['low', 'low', 'auto'])
  await loader.manifest('low')
  await createRouteLoader({ basePath: '', buildId: 'build-1' }).manifest()
  expect(priorities).toEqual(['low', 'auto'])
})

test('P3 a page whose stylesheet is on its way is not ready', async () => {
  const loader = createRouteLoader({ basePath: '', buildId: 'build-1' })
  const files = { module: MODULE, imports: [], styles: ['late.css'] }
  const loading = loader.load(files)
  await new Promise((done) => setTimeout(done, 20))
  expect(loader.ready(files)).toBeUndefined()
  links[0]!.onload()
  const page = { Page, styles: [besideScript('late.css')] }
  expect(await loading).toEqual(page)
  expect(loader.ready(files)).toEqual(page)
})
