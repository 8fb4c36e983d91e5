// What is kept of pages and for how long, seen through HTTP.

import { beforeEach, describe, expect, test } from 'vitest'
import { testSite } from './testing/site.ts'
import { type Answer, rendererForTests, shownProps, startRenderer } from './testing/start-renderer.ts'

const { data, shared } = testSite
const under = rendererForTests()

beforeEach(() => {
  data.echo = ({ query, resolvedUrl }) => ({ props: { query, resolvedUrl } })
})

function json({ body }: Answer): Record<string, unknown> {
  return JSON.parse(body)
}

describe('caching', () => {
  test('D2 keeps a server-rendered page and its data from every cache', async () => {
    for (const answer of [await under.renderer.ask('/data/echo'), await under.renderer.askData('/data/echo.json')]) {
      expect(answer.headers['cache-control']).toBe('private, no-store')
      expect(answer.headers.etag).toBeUndefined()
    }
  })

  test('D2 lets a server-rendered page set its own headers, status and cookies, but not those of the body', async () => {
    data.own = ({ res }, { cookies }) => {
      res.setHeader('Cache-Control', 'public, max-age=60')
      res.setHeader('Content-Type', 'text/plain')
      res.setHeader('Content-Length', '1')
      res.statusCode = 418
      cookies().set('seen', 'yes')
      return { props: { seen: cookies().get('seen') } }
    }
    const answer = await under.renderer.ask('/data/own')
    expect(answer.status).toBe(418)
    expect(answer.headers['cache-control']).toBe('public, max-age=60')
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['set-cookie']).toEqual(['seen=yes; Path=/; HttpOnly; SameSite=Lax'])
    expect(shownProps(answer)).toEqual({ seen: 'yes' })
  })

  test('D2 answers a static page and its data with an ETag, and 304 to who has it', async () => {
    const paths = ['/about', `/_portico/data/${under.renderer.manifest.buildId}/about.json`]
    const etags = await Promise.all(
      paths.map(async (path) => {
        const answer = await under.renderer.ask(path)
        expect(answer.headers['cache-control']).toBe('public, max-age=0, must-revalidate')
        const { etag = '' } = answer.headers
        expect(etag).toMatch(/^"[\w-]{22}"$/)
        for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const again = await under.renderer.ask(path, { headers: { 'if-none-match': header } })
          expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag])
        }
        expect((await under.renderer.ask(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
        return etag
      }),
    )
    expect(etags[0]).not.toBe(etags[1])
  })

  test('D2 renders a static page of nothing that one visitor sent', async () => {
    shared.poison = (context) => ({ props: { keys: Object.keys(context).sort() } })
    const first = await under.renderer.ask('/shared/poison?evil=1', { headers: { cookie: 'evil=1', 'x-evil': 'evil' } })
    const second = await under.renderer.ask('/shared/poison')
    expect(first.body).toBe(second.body)
    expect(first.body).not.toContain('evil')
    expect(shownProps(first)).toEqual({ keys: ['params', 'revalidateReason'] })
  })

  test('D2 shows a page once more when its time is over, and refreshes it behind', async () => {
    let count = 0
    shared.timed = () => ({ props: { count: ++count }, revalidate: 10 })
    const ask = async () => {
      const answer = await under.renderer.ask('/shared/timed')
      return [answer.headers['portico-internal-cache'], shownProps(answer)]
    }
    expect(await ask()).toEqual(['MISS', { count: 1 }])
    under.renderer.clock.now += 10_000
    expect(await ask()).toEqual(['HIT', { count: 1 }])
    under.renderer.clock.now += 1
    expect(await ask()).toEqual(['STALE', { count: 1 }])
    await expect.poll(ask).toEqual(['HIT', { count: 2 }])
    expect(count).toBe(2)
  })

  test('D2 keeps showing the old page while refreshing it fails, and asks again a second later', async () => {
    let calls = 0
    shared.failing = () => {
      if (++calls > 1) throw new Error('the source is down')
      return { props: { calls }, revalidate: 10 }
    }
    await under.renderer.ask('/shared/failing')
    under.renderer.clock.now += 10_001
    for (let visit = 0; visit < 5; visit++) {
      expect(shownProps(await under.renderer.ask('/shared/failing'))).toEqual({ calls: 1 })
      await expect.poll(() => calls).toBe(2)
    }
    under.renderer.clock.now += 1001
    expect(shownProps(await under.renderer.ask('/shared/failing'))).toEqual({ calls: 1 })
    await expect.poll(() => calls).toBe(3)
  })

  test('D2 with fallback false only the paths of getStaticPaths exist', async () => {
    shared.one = shared.two = shared['caf\u00e9 bar'] = ({ params }) => ({ props: params })
    expect(shownProps(await under.renderer.ask('/listed/one'))).toEqual({ name: 'one' })
    expect(shownProps(await under.renderer.ask('/listed/caf%C3%A9%20bar'))).toEqual({ name: 'caf\u00e9 bar' })
    expect((await under.renderer.ask('/listed/two')).status).toBe(404)
    expect((await under.renderer.askData('/listed/two.json')).status).toBe(404)
  })

  test("D2 with fallback 'blocking' an unknown path is rendered at the first visit and kept", async () => {
    let calls = 0
    shared.blocking = () => ({ props: { calls: ++calls } })
    for (let visit = 0; visit < 2; visit++)
      expect(shownProps(await under.renderer.ask('/shared/blocking'))).toEqual({ calls: 1 })
  })

  test('D2 with fallback true the first visitor gets a shell at once, the next one the page', async () => {
    let finish: (value: unknown) => void = () => {}
    const slow = new Promise((done) => {
      finish = done
    })
    shared.slow = () => slow
    const shell = await under.renderer.ask('/shell/slow')
    expect([shell.status, shell.headers['cache-control']]).toEqual([200, 'private, no-store'])
    expect(shell.body).toContain('<title>Shell</title>')
    expect(shell.body).toContain('"isFallback":true')
    const waiting = under.renderer.askData('/shell/slow.json')
    finish({ props: { ready: true } })
    expect(json(await waiting)).toMatchObject({ kind: 'page', props: { ready: true } })
    const page = await under.renderer.ask('/shell/slow')
    expect(page.body).toContain('<title>View</title>')
    expect(shownProps(page)).toEqual({ ready: true })
  })

  test('O7 counts how pages of the page cache were answered', async () => {
    shared.counted = () => ({ props: {}, revalidate: 10 })
    const count = async () => {
      const lines = (await under.renderer.askMetrics()).matchAll(
        /^portico_page_cache_total\{verdict="(\w+)".*\} (\d+)$/gm,
      )
      return Object.fromEntries([...lines].map(([, verdict = '', value]) => [verdict, Number(value)]))
    }
    const before = await count()
    await under.renderer.ask('/shared/counted')
    await under.renderer.ask('/shared/counted')
    await under.renderer.askData('/shared/counted.json')
    under.renderer.clock.now += 10_001
    await under.renderer.ask('/shared/counted')
    await under.renderer.ask('/shell/counted')
    const after = await count()
    expect(Object.keys(before)).toEqual(['HIT', 'STALE', 'MISS', 'FALLBACK'])
    const grown = Object.entries(after).map(([verdict, value]) => [verdict, value - (before[verdict] ?? 0)])
    expect(Object.fromEntries(grown)).toEqual({ HIT: 2, STALE: 1, MISS: 1, FALLBACK: 1 })
  })

  test('D2 with fallback true a crawler waits for the whole page', async () => {
    shared.crawled = () => ({ props: { whole: true } })
    const answer = await under.renderer.ask('/shell/crawled', {
      headers: { 'user-agent': 'Mozilla/5.0 Googlebot/2.1' },
    })
    expect(shownProps(answer)).toEqual({ whole: true })
  })

  test('D2 refuses cookies(), headers() and cookies of fetch() in getStaticProps, naming the page', async () => {
    shared.asksCookies = (_context, { cookies }) => ({ props: { session: cookies().get('session') } })
    shared.asksHeaders = (_context, { headers }) => ({ props: { agent: headers().get('user-agent') } })
    shared.sendsCookies = async (_context, { fetch }) => ({
      props: { status: (await fetch('/api/x', { cookies: true })).status },
    })
    for (const name of ['asksCookies', 'asksHeaders', 'sendsCookies']) {
      under.renderer.errors.length = 0
      expect((await under.renderer.ask(`/shared/${name}`)).status).toBe(500)
      expect(JSON.stringify(under.renderer.errors)).toContain('/shared/[name], which is rendered once for all visitors')
    }
  })

  test('D6 a page that is not there is found by its tags and asked again', async () => {
    let isThere = false
    shared.tagged = () => (isThere ? { props: { isThere } } : { notFound: true, tags: ['things'] })
    expect((await under.renderer.ask('/shared/tagged')).status).toBe(404)
    isThere = true
    expect((await under.renderer.ask('/shared/tagged')).status).toBe(404)
    await under.renderer.askInner('/internal/revalidate', { paths: [], tags: ['things'] })
    expect(shownProps(await under.renderer.ask('/shared/tagged'))).toEqual({ isThere: true })
  })

  test('O8 publicEnv answers a data function before anything was rendered, with undefined for what is optional and unset', async () => {
    const values = { GREETING: 'Grias di', SUPPORT_URL: null }
    const fresh = await startRenderer(under.site, { publicEnv: values })
    shared.values = (_context, { publicEnv }) => ({
      props: { greeting: publicEnv('GREETING'), support: String(publicEnv('SUPPORT_URL')) },
    })
    expect(shownProps(await fresh.ask('/shared/values'))).toEqual({ greeting: 'Grias di', support: 'undefined' })
    await fresh.stop()
  })

  test('O8 values of the environment are part of what a page is kept under', async () => {
    const cache = under.renderer.cache
    const other = await startRenderer(under.site, { cache, publicEnv: { GREETING: 'Servus' } })
    let calls = 0
    shared.greeting = () => ({ props: { calls: ++calls } })
    expect(shownProps(await under.renderer.ask('/shared/greeting'))).toEqual({ calls: 1 })
    expect(shownProps(await other.ask('/shared/greeting'))).toEqual({ calls: 2 })
    await other.stop()
  })
})
