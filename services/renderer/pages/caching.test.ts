// Which pages caches keep, and for how long, tested through HTTP.

import { matchingHeaders, otherHeaders } from '@portico/shared/kit/testing/if-none-match.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import type { CacheEntry, PageCache } from '../cache/cache.ts'
import { testSite } from '../testing/site.ts'
import { rendererForTests, shownProps, startRenderer, type TestResponse } from '../testing/start-renderer.ts'

const { data, shared } = testSite
const under = rendererForTests()

beforeEach(() => {
  data.echo = ({ query, resolvedUrl }) => ({ props: { query, resolvedUrl } })
})

function json({ body }: TestResponse): Record<string, unknown> {
  return JSON.parse(body)
}

describe('caching', () => {
  test('G7 writes one line per request with route and verdict, without the query', async () => {
    const { lines } = under.renderer
    lines.length = 0
    const requestId = '0123456789abcdef'
    await under.renderer.request('/about?secret=1', { headers: { 'x-request-id': requestId } })
    await under.renderer.request('/about', { method: 'POST' })
    await expect.poll(() => lines.length).toBe(2)
    const line = { event: 'request', path: '/about', ms: expect.any(Number) }
    expect(lines[0]).toMatchObject({ ...line, method: 'GET', status: 200, requestId, route: '/about', cache: 'MISS' })
    expect(lines[1]).toMatchObject({ ...line, method: 'POST', status: 405, requestId: expect.any(String) })
    expect(JSON.stringify(lines)).not.toContain('secret')
  })

  test('D5 a kept page holds no memory of others', async () => {
    const sets: CacheEntry[] = []
    const cache: PageCache = {
      get: () => undefined,
      wasRevalidated: () => false,
      set: (_key, _path, entry) => sets.push(entry) > 0,
    }
    const renderer = await startRenderer(under.site, { cache })
    await renderer.request('/about')
    await renderer.stop()
    const { outcome } = sets[0]!
    if (outcome.kind !== 'page') throw new Error(outcome.kind)
    for (const bytes of [outcome.html, outcome.data]) expect(bytes.buffer.byteLength).toBe(bytes.length)
  })

  test('D2 no cache may store a server-rendered page and its data', async () => {
    for (const response of [
      await under.renderer.request('/data/echo'),
      await under.renderer.requestData('/data/echo.json'),
    ]) {
      expect(response.headers['cache-control']).toBe('private, no-store')
      expect(response.headers.etag).toBeUndefined()
    }
  })

  test('D2 a server-rendered page sets headers, status and cookies, but not the headers of the body', async () => {
    data.own = ({ res }, { cookies }) => {
      res.setHeader('Cache-Control', 'public, max-age=60')
      res.setHeader('Content-Type', 'text/plain')
      res.setHeader('Content-Length', '1')
      res.statusCode = 418
      cookies().set('seen', 'yes')
      return { props: { seen: cookies().get('seen') } }
    }
    const response = await under.renderer.request('/data/own')
    expect(response.status).toBe(418)
    expect(response.headers['cache-control']).toBe('public, max-age=60')
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(response.headers['set-cookie']).toEqual(['seen=yes; Path=/; HttpOnly; SameSite=Lax'])
    expect(shownProps(response)).toEqual({ seen: 'yes' })
  })

  test('D2 responds to a static page and its data with an ETag, and with 304 to a client that has it', async () => {
    const paths = ['/about', `/_portico/data/${under.renderer.manifest.buildId}/about.json`]
    const etags = await Promise.all(
      paths.map(async (path) => {
        const response = await under.renderer.request(path)
        expect(response.headers['cache-control']).toBe('public, max-age=0, must-revalidate')
        const { etag = '' } = response.headers
        expect(etag).toMatch(/^"[\w-]{27}"$/)
        for (const header of matchingHeaders(etag)) {
          const again = await under.renderer.request(path, { headers: { 'if-none-match': header } })
          expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag])
        }
        for (const header of otherHeaders(etag))
          expect((await under.renderer.request(path, { headers: { 'if-none-match': header } })).status).toBe(200)
        return etag
      }),
    )
    expect(etags[0]).not.toBe(etags[1])
  })

  test('D2 renders a static page without any data of a client', async () => {
    shared.poison = (context) => ({ props: { keys: Object.keys(context).sort() } })
    const first = await under.renderer.request('/shared/poison?evil=1', {
      headers: { cookie: 'evil=1', 'x-evil': 'evil' },
    })
    const second = await under.renderer.request('/shared/poison')
    expect(first.body).toBe(second.body)
    expect(first.body).not.toContain('evil')
    expect(shownProps(first)).toEqual({ keys: ['params', 'revalidateReason'] })
  })

  test('D2 sends an expired page once more and refreshes it in the background', async () => {
    let count = 0
    shared.timed = () => ({ props: { count: ++count }, revalidate: 10 })
    const load = async () => {
      const response = await under.renderer.request('/shared/timed')
      return [response.headers['portico-internal-cache'], shownProps(response)]
    }
    expect(await load()).toEqual(['MISS', { count: 1 }])
    under.renderer.clock.now += 10_000
    expect(await load()).toEqual(['HIT', { count: 1 }])
    under.renderer.clock.now += 1
    expect(await load()).toEqual(['STALE', { count: 1 }])
    await expect.poll(load).toEqual(['HIT', { count: 2 }])
    expect(count).toBe(2)
  })

  test('D2 revalidateReason is "on-demand" after a revalidation, and "stale" for the first render and by age', async () => {
    shared.reasoned = ({ revalidateReason }) => ({ props: { revalidateReason }, revalidate: 10, tags: ['reasons'] })
    const load = async () => shownProps(await under.renderer.request('/shared/reasoned'))
    expect(await load()).toEqual({ revalidateReason: 'stale' })
    await under.renderer.invalidate({ tags: ['reasons'] })
    expect(await load()).toEqual({ revalidateReason: 'on-demand' })
    under.renderer.clock.now += 10_001
    expect(await load()).toEqual({ revalidateReason: 'on-demand' })
    await expect.poll(load).toEqual({ revalidateReason: 'stale' })
    await under.renderer.invalidate({ paths: ['/shared/reasoned'] })
    expect(await load()).toEqual({ revalidateReason: 'on-demand' })
  })

  test('D2 sends the old page while its refresh fails, and tries again a second later', async () => {
    let calls = 0
    shared.failing = () => {
      if (++calls > 1) throw new Error('the source is down')
      return { props: { calls }, revalidate: 10 }
    }
    await under.renderer.request('/shared/failing')
    under.renderer.clock.now += 10_001
    for (let visit = 0; visit < 5; visit++) {
      expect(shownProps(await under.renderer.request('/shared/failing'))).toEqual({ calls: 1 })
      await expect.poll(() => calls).toBe(2)
    }
    under.renderer.clock.now += 1001
    expect(shownProps(await under.renderer.request('/shared/failing'))).toEqual({ calls: 1 })
    await expect.poll(() => calls).toBe(3)
  })

  test('D2 with fallback false only the paths of getStaticPaths exist', async () => {
    shared.one = shared.two = shared['caf\u00e9 bar'] = ({ params }) => ({ props: params })
    expect(shownProps(await under.renderer.request('/listed/one'))).toEqual({ name: 'one' })
    expect(shownProps(await under.renderer.request('/listed/caf%C3%A9%20bar'))).toEqual({ name: 'caf\u00e9 bar' })
    expect((await under.renderer.request('/listed/two')).status).toBe(404)
    expect((await under.renderer.requestData('/listed/two.json')).status).toBe(404)
  })

  test("D2 with fallback 'blocking' an unknown path is rendered at the first request and kept", async () => {
    let calls = 0
    shared.blocking = () => ({ props: { calls: ++calls } })
    for (let visit = 0; visit < 2; visit++)
      expect(shownProps(await under.renderer.request('/shared/blocking'))).toEqual({ calls: 1 })
  })

  test('D2 with fallback true the first client receives a shell immediately, the next one the page', async () => {
    let finish: (value: unknown) => void = () => {}
    const slow = new Promise((done) => {
      finish = done
    })
    shared.slow = () => slow
    const shell = await under.renderer.request('/shell/slow')
    expect([shell.status, shell.headers['cache-control']]).toEqual([200, 'private, no-store'])
    expect(shell.body).toContain('<title>Shell</title>')
    expect(shell.body).toContain('"isFallback":true')
    expect(shell.body).toContain('"isReady":false')
    const waiting = under.renderer.requestData('/shell/slow.json')
    finish({ props: { ready: true } })
    expect(json(await waiting)).toMatchObject({ kind: 'page', props: { ready: true } })
    const page = await under.renderer.request('/shell/slow')
    expect(page.body).toContain('<title>View</title>')
    expect(shownProps(page)).toEqual({ ready: true })
  })

  test('O7 counts the responses with pages of the page cache by verdict', async () => {
    shared.counted = () => ({ props: {}, revalidate: 10 })
    const count = async () => {
      const lines = (await under.renderer.requestMetrics()).matchAll(
        /^portico_page_cache_total\{verdict="(\w+)".*\} (\d+)$/gm,
      )
      return Object.fromEntries([...lines].map(([, verdict = '', value]) => [verdict, Number(value)]))
    }
    const before = await count()
    await under.renderer.request('/shared/counted')
    await under.renderer.request('/shared/counted')
    await under.renderer.requestData('/shared/counted.json')
    under.renderer.clock.now += 10_001
    await under.renderer.request('/shared/counted')
    await under.renderer.request('/shell/counted')
    const after = await count()
    expect(Object.keys(before)).toEqual(['HIT', 'STALE', 'MISS', 'FALLBACK'])
    const grown = Object.entries(after).map(([verdict, value]) => [verdict, value - (before[verdict] ?? 0)])
    expect(Object.fromEntries(grown)).toEqual({ HIT: 2, STALE: 1, MISS: 1, FALLBACK: 1 })
  })

  test('D2 with fallback true a crawler waits for the whole page', async () => {
    shared.crawled = () => ({ props: { whole: true } })
    const response = await under.renderer.request('/shell/crawled', {
      headers: { 'user-agent': 'Mozilla/5.0 Googlebot/2.1' },
    })
    expect(shownProps(response)).toEqual({ whole: true })
  })

  test('D2 refuses cookies(), headers() and cookies of fetch() in getStaticProps, naming the page', async () => {
    shared.readsCookies = (_context, { cookies }) => ({ props: { session: cookies().get('session') } })
    shared.readsHeaders = (_context, { headers }) => ({ props: { agent: headers().get('user-agent') } })
    shared.sendsCookies = async (_context, { fetch }) => ({
      props: { status: (await fetch('/api/x', { cookies: true })).status },
    })
    for (const name of ['readsCookies', 'readsHeaders', 'sendsCookies']) {
      under.renderer.errors.length = 0
      expect((await under.renderer.request(`/shared/${name}`)).status).toBe(500)
      expect(JSON.stringify(under.renderer.errors)).toContain('/shared/[name], which is rendered once for all visitors')
    }
  })

  test('D6 a revalidation by tag renders a missing page again', async () => {
    let isThere = false
    shared.tagged = () => (isThere ? { props: { isThere } } : { notFound: true, tags: ['things'] })
    expect((await under.renderer.request('/shared/tagged')).status).toBe(404)
    isThere = true
    expect((await under.renderer.request('/shared/tagged')).status).toBe(404)
    await under.renderer.invalidate({ tags: ['things'] })
    expect(shownProps(await under.renderer.request('/shared/tagged'))).toEqual({ isThere: true })
  })

  test('O8 publicEnv returns values to a data function before the first render, and undefined for optional unset ones', async () => {
    const values = { GREETING: 'Grias di', SUPPORT_URL: null }
    const fresh = await startRenderer(under.site, { publicEnv: values })
    shared.values = (_context, { publicEnv }) => ({
      props: { greeting: publicEnv('GREETING'), support: String(publicEnv('SUPPORT_URL')) },
    })
    expect(shownProps(await fresh.request('/shared/values'))).toEqual({ greeting: 'Grias di', support: 'undefined' })
    await fresh.stop()
  })

  test('O8 values of the environment are part of the cache key of a page', async () => {
    const cache = under.renderer.cache
    const other = await startRenderer(under.site, { cache, publicEnv: { GREETING: 'Servus' } })
    let calls = 0
    shared.greeting = () => ({ props: { calls: ++calls } })
    expect(shownProps(await under.renderer.request('/shared/greeting'))).toEqual({ calls: 1 })
    expect(shownProps(await other.request('/shared/greeting'))).toEqual({ calls: 2 })
    await other.stop()
  })
})
