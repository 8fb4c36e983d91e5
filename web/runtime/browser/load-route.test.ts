// The manifest in the browser: its time limit, and what counts as none.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRouteLoader } from './load-route.ts'

const MANIFEST = { buildId: 'build-1', pages: [], screens: [] }
let answer: () => Promise<Response>
let asked: string[]

beforeEach(() => {
  asked = []
  vi.stubGlobal('document', { querySelectorAll: () => [] })
  vi.stubGlobal('location', { href: 'http://site.example/shop/' })
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url)
    return answer()
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function loaded(body: unknown = MANIFEST, status = 200, build = 'build-1'): () => Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return async () => new Response(text, { status, headers: { 'portico-build': build } })
}

test('W1 the manifest is asked for once, at the address of its build', async () => {
  answer = loaded()
  const loader = createRouteLoader({ basePath: '/shop', buildId: 'build-1' })
  expect(await Promise.all([loader.manifest(), loader.manifest()])).toEqual([MANIFEST, MANIFEST])
  expect(asked).toEqual(['/shop/_portico/manifest/build-1.json'])
})

test('N5 a manifest that takes longer than 3800 ms is none, and is asked for again by the next navigation', async () => {
  vi.useFakeTimers()
  answer = () => new Promise(() => {})
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
  answer = loaded()
  expect(await loader.manifest()).toEqual(MANIFEST)
  expect(vi.getTimerCount()).toBe(0)
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
    answer = given
    const loader = createRouteLoader({ basePath: '', buildId: 'build-1' })
    await expect(loader.manifest(), reason).rejects.toMatchObject({ reason })
  }
})
