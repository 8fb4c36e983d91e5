// Pages and page data through HTTP: representation, results of data functions, paths, methods.

import { beforeEach, describe, expect, test } from 'vitest'
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

describe('representation', () => {
  test('D1 responds to a page request with HTML for every Accept header', async () => {
    for (const path of ['/', '/data/echo']) {
      const response = await under.renderer.request(path, { headers: { accept: 'application/json' } })
      expect(response.status).toBe(200)
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(response.headers.vary).toBeUndefined()
    }
  })

  test('W2 responds to a page data request with JSON for every Accept header', async () => {
    const response = await under.renderer.request(
      `/_portico/data/${under.renderer.manifest.buildId}/data/echo.json?a=1`,
      {
        headers: { accept: 'text/html' },
      },
    )
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.headers['portico-build']).toBe(under.renderer.manifest.buildId)
    expect(json(response)).toEqual({
      kind: 'page',
      route: '/data/[name]',
      params: { name: 'echo' },
      props: { query: { a: '1', name: 'echo' }, resolvedUrl: '/data/echo?a=1' },
    })
  })

  test('G3 names the files of the route in the Link header of documents, the same as in their heads', async () => {
    for (const path of ['/', '/data/echo', '/nowhere']) {
      const { headers, body } = await under.renderer.request(path)
      const named = [...String(headers.link).matchAll(/<([^>]+)>; rel=(?:preload|modulepreload)/g)].map(
        ([, name]) => name,
      )
      const inHead = [...body.matchAll(/<link rel="(?:stylesheet|modulepreload)" href="([^"]+)"/g)].map(
        ([, name]) => name,
      )
      expect(named.length, path).toBeGreaterThan(0)
      expect(named, path).toEqual(inHead)
      // No first paint waits for a script.
      for (const [tag] of body.matchAll(/<link rel="modulepreload"[^>]*>/g))
        expect(tag).toContain(' fetchpriority="low"')
    }
    expect((await under.renderer.requestData('/data/echo.json')).headers.link).toBeUndefined()
  })

  test('F2 getServerSideProps may write the response itself, and the page is not rendered', async () => {
    data.sitemap = ({ res }) => {
      res.setHeader('Content-Type', 'text/xml; charset=utf-8')
      res.setHeader('Cache-Control', 'public, max-age=60')
      res.write('<urlset>')
      res.end('ü</urlset>')
      return { props: { unseen: true } }
    }
    const response = await under.renderer.request('/data/sitemap')
    expect([response.status, response.body]).toEqual([200, '<urlset>ü</urlset>'])
    expect(response.headers).toMatchObject({
      'content-type': 'text/xml; charset=utf-8',
      'content-length': '19',
      'cache-control': 'public, max-age=60',
      'content-security-policy': expect.stringContaining("script-src 'self'"),
    })
    // A browser that requested page data loads the address in full, because the response is no page data (N5).
    expect((await under.renderer.requestData('/data/sitemap.json')).headers['content-type']).toBe(
      'text/xml; charset=utf-8',
    )
    expect((await under.renderer.request('/data/sitemap', { method: 'HEAD' })).body).toBe('')
  })

  test('D7 a document keeps all characters of the props', async () => {
    const text = '</script><script>alert(1)</script> \u2028 \u2029 <!-- --> ]]> & "\' \\ \ud83d\ude00'
    data.odd = () => ({ props: { text, [text]: [text] } })
    const { body } = await under.renderer.request('/data/odd')
    const element = /<script type="application\/json" id="__PORTICO_DATA__">([\s\S]*?)<\/script>/.exec(body)?.[1] ?? ''
    expect(element).not.toContain('<')
    expect(JSON.parse(element).props).toEqual({ text, [text]: [text] })
    expect(body.match(/<script/g)).toHaveLength(2)
  })

  test('W2 index is the name of the home page and of no other page', async () => {
    expect(json(await under.renderer.requestData('/index.json'))).toMatchObject({ kind: 'page', route: '/' })
    expect(json(await under.renderer.requestData('/index/index.json'))).toEqual({ kind: 'not-found' })
    expect(json(await under.renderer.requestData('/files/index.json'))).toMatchObject({ params: { path: ['index'] } })
  })

  test('W2 keeps the percent-encoding of a path until its params are read, once', async () => {
    const response = json(await under.renderer.requestData('/files/a%20b/c%2Fd/%2525.json.json'))
    expect(response).toMatchObject({ kind: 'page', params: { path: ['a b', 'c/d', '%25.json'] } })
  })

  test('W2 distinguishes a foreign build from a missing page', async () => {
    const foreign = await under.renderer.request('/_portico/data/0123456789abcdef/about.json')
    expect([foreign.status, json(foreign)]).toEqual([404, { kind: 'foreign-build' }])
    expect(foreign.headers['cache-control']).toBe('no-store')
    expect(foreign.headers['portico-build']).toBe(under.renderer.manifest.buildId)
    const missing = await under.renderer.requestData('/nothing/here.json')
    expect([missing.status, json(missing)]).toEqual([404, { kind: 'not-found' }])
  })
})

describe('results of data functions', () => {
  const results: [string, unknown, number, string?][] = [
    ['notFound', { notFound: true }, 404],
    ['permanent', { redirect: { destination: '/about', permanent: true } }, 308, '/about'],
    ['temporary', { redirect: { destination: '/about?a=1', permanent: false } }, 307, '/about?a=1'],
    ['statusCode', { redirect: { destination: '/about', statusCode: 301 } }, 301, '/about'],
    [
      'elsewhere',
      { redirect: { destination: 'https://example.org/x', permanent: false } },
      307,
      'https://example.org/x',
    ],
    ['letters', { redirect: { destination: '/caf\u00e9 %20', permanent: false } }, 307, '/caf%C3%A9%20%20'],
    ['slashes', { redirect: { destination: '//evil.example/\\x', permanent: false } }, 307, '/evil.example/x'],
    ['render-not-found', { props: { throws: 'not-found' } }, 404],
    ['render-redirect', { props: { throws: 'redirect' } }, 308, '/about'],
  ]
  for (const [name, result, status, location] of results)
    for (const kind of ['data', 'shared'] as const)
      test(`D3 ${name} of a ${kind === 'data' ? 'server-rendered' : 'static'} page responds ${status}`, async () => {
        testSite[kind][name] = () => result
        // The second response with a static page is from the cache.
        for (let visit = 0; visit < 2; visit++) {
          const response = await under.renderer.request(`/${kind}/${name}`)
          expect([response.status, response.headers.location]).toEqual([status, location])
          if (status === 404) expect(response.body).toContain('<title>404: This page could not be found.</title>')
        }
      })

  test('D3 redirect() and notFound() may be thrown by data functions', async () => {
    for (const kind of ['data', 'shared'] as const) {
      testSite[kind].thrownRedirect = (_context, { redirect }) => redirect('/about', 303)
      testSite[kind].thrownNotFound = async (_context, { notFound }) => notFound()
      const redirected = await under.renderer.request(`/${kind}/thrownRedirect`)
      expect([redirected.status, redirected.headers.location]).toEqual([303, '/about'])
      expect((await under.renderer.request(`/${kind}/thrownNotFound`)).status).toBe(404)
      const response = await under.renderer.requestData(`/${kind}/thrownRedirect.json`)
      expect([response.status, json(response)]).toEqual([200, { kind: 'redirect', location: '/about', status: 303 }])
      expect(json(await under.renderer.requestData(`/${kind}/thrownNotFound.json`))).toEqual({ kind: 'not-found' })
    }
  })

  test('D3 a redirect in page data cannot be read as another host', async () => {
    data.hosts = ({ query }) => ({ redirect: { destination: String(query.to), permanent: false } })
    for (const to of ['//evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example']) {
      const response = json(await under.renderer.requestData(`/data/hosts.json?to=${encodeURIComponent(to)}`))
      expect(new URL(String(response.location), 'http://site.example').host, to).toBe('site.example')
      const { headers } = await under.renderer.request(`/data/hosts?to=${encodeURIComponent(to)}`)
      expect(new URL(String(headers.location), 'http://site.example').host, to).toBe('site.example')
    }
  })

  test('D3 a cookie set before a redirect or the not-found screen is sent with it', async () => {
    data.leaving = ({ query }, { cookies, redirect, notFound }) => {
      cookies().set('left', 'yes')
      return query.to ? redirect('/about') : notFound()
    }
    for (const path of ['/data/leaving?to=about', '/data/leaving'])
      expect((await under.renderer.request(path)).headers['set-cookie'], path).toHaveLength(1)
    data.leaving = ({ res }) => {
      res.setHeader('Set-Cookie', ['left=1', 'for=good'])
      return { notFound: true }
    }
    const { status, headers } = await under.renderer.request('/data/leaving')
    expect([status, headers['set-cookie']]).toEqual([404, ['left=1', 'for=good']])
  })

  test('D3 getServerSideProps may redirect by writeHead and end, as on Node', async () => {
    const given = { Location: '/about', 'Set-Cookie': ['a=1', 'b=2'] }
    for (const more of [[given], ['Found', given]]) {
      data.head = ({ res }) => {
        res.writeHead(302, ...more).end()
        return { props: {} }
      }
      const { status, headers, body } = await under.renderer.request('/data/head')
      expect([status, headers.location, headers['set-cookie'], body]).toEqual([302, '/about', ['a=1', 'b=2'], ''])
    }
  })

  test.each([
    { basePath: '', trailingSlash: false, addresses: ['/', '/about'] },
    { basePath: '', trailingSlash: true, addresses: ['/', '/about/'] },
    { basePath: '/shop', trailingSlash: false, addresses: ['/shop', '/shop/about'] },
    { basePath: '/shop', trailingSlash: true, addresses: ['/shop/', '/shop/about/'] },
  ])('R6 a page for all clients has the address of their address bars: $addresses', async (options) => {
    const { addresses, ...settings } = options
    const site = await startRenderer(under.site, settings)
    for (const address of addresses) expect((await site.request(address)).body).toContain(`"url":"${address}"`)
    await site.stop()
  })

  test('D3 below a basePath a redirect leads to the same site', async () => {
    const below = await startRenderer(under.site, { basePath: '/shop' })
    data.based = ({ query }) => ({ redirect: { destination: String(query.to), permanent: false } })
    expect((await below.request('/shop/data/based?to=/about')).headers.location).toBe('/shop/about')
    expect((await below.request('/shop/data/based?to=/')).headers.location).toBe('/shop')
    expect(json(await below.requestData('/data/based.json?to=/about')).location).toBe('/about')
    expect((await below.request('/about')).status).toBe(404)
    expect((await below.request('/shopping')).status).toBe(404)
    expect((await below.request('/shop')).body).toContain('<h1>Home</h1>')
    await below.stop()
    // R6: the gateway does not redirect this address again.
    const slashed = await startRenderer(under.site, { basePath: '/shop', trailingSlash: true })
    expect((await slashed.request('/shop/data/based?to=/about?a=1')).headers.location).toBe('/shop/about/?a=1')
    expect(json(await slashed.requestData('/data/based.json?to=/about/')).location).toBe('/about')
    await slashed.stop()
  })
})

describe('paths', () => {
  test('R3 responds 400 for a malformed percent sequence and for %00', async () => {
    for (const path of ['/%', '/files/%E0%A4', '/files/a%00b', '/%00']) {
      const page = await under.renderer.request(path)
      expect(page.status, path).toBe(400)
      expect(page.body).toContain('<title>400: Bad Request</title>')
      const response = await under.renderer.requestData(`${path}.json`)
      expect([response.status, json(response)], path).toMatchObject([
        400,
        { error: { status: 400, title: 'Bad Request', code: 'malformed-path' } },
      ])
    }
    expect(under.renderer.errors.filter((line) => String(line.route).includes('%'))).toEqual([])
  })

  test('E6 a malformed Host is a fault of the client', async () => {
    for (const host of ['[', 'a b', '<'])
      expect((await under.renderer.request('/data/echo', { headers: { 'x-forwarded-host': host } })).status, host).toBe(
        400,
      )
  })

  test('R7 rewrites render another page under the requested address', async () => {
    const response = await under.renderer.request('/alias/echo?a=1')
    expect(shownProps(response)).toEqual({
      query: { from: 'alias', a: '1', name: 'echo' },
      resolvedUrl: '/data/echo?from=alias&a=1',
    })
    expect(response.body).toContain('"url":"/alias/echo?a=1"')
    expect(json(await under.renderer.requestData('/alias/echo.json'))).toMatchObject({ route: '/data/[name]' })
    expect(shownProps(await under.renderer.request('/any/a%20b/%2F'))).toEqual({ path: ['a b', '/'] })
  })

  test('R7 a rewrite applies only when its conditions hold', async () => {
    data.rewritten = () => ({ props: { rewritten: true } })
    shared.beta = () => ({ props: { rewritten: false } })
    expect(shownProps(await under.renderer.request('/shared/beta'))).toEqual({ rewritten: false })
    expect(shownProps(await under.renderer.request('/shared/beta', { headers: { cookie: 'beta=yes' } }))).toEqual({
      rewritten: true,
    })
    expect(shownProps(await under.renderer.request('/shared/beta', { headers: { cookie: 'beta=no' } }))).toEqual({
      rewritten: false,
    })
  })

  test('R7 a page of a fixed path wins over a rewrite', async () => {
    expect((await under.renderer.request('/about')).body).toContain('<h1>About</h1>')
  })
})

describe('methods', () => {
  test('E6 responds 405 with Allow to a method that a page does not support', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
      const page = await under.renderer.request('/about', { method })
      expect([page.status, page.headers.allow]).toEqual([405, 'GET, HEAD'])
      expect(page.body).toContain('<title>405: Method Not Allowed</title>')
    }
    const response = await under.renderer.request(`/_portico/data/${under.renderer.manifest.buildId}/about.json`, {
      method: 'POST',
    })
    expect(json(response)).toMatchObject({
      error: { status: 405, title: 'Method Not Allowed', code: 'method-not-allowed' },
    })
    expect(response.headers.allow).toBe('GET, HEAD')
  })

  test('R6 HEAD has the response of GET without the body', async () => {
    for (const path of ['/about', '/data/echo', '/nothing', '/%', '/_portico/data/foreign/x.json']) {
      const whole = await under.renderer.request(path)
      const head = await under.renderer.request(path, { method: 'HEAD' })
      const { date: _date, ...headers } = head.headers
      expect([head.status, head.body], path).toEqual([whole.status, ''])
      expect({ ...whole.headers, ...headers }, path).toEqual(whole.headers)
      expect(headers['content-length'], path).toBe(whole.headers['content-length'])
    }
  })
})
