// What pages of Next.js expect of the renderer, through HTTP: the request and the response of getServerSideProps (X7), and
// the page data of Next.js (X2).

import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import type { ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { DocumentClient } from '@portico/shared/wire/next/initial-props.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testSite } from '../testing/site.ts'
import { rendererForTests, startRenderer, type TestRenderer } from '../testing/start-renderer.ts'
import type { PageResponse } from './data-arguments.ts'

const under = rendererForTests()

test('X7 G5 getServerSideProps reads the client from req.socket, and appends cookies', async () => {
  testSite.data.client = ({ req, res }) => {
    res.setHeader('Set-Cookie', 'a=1')
    res.appendHeader('Set-Cookie', 'b=2')
    res.end(JSON.stringify([req, res.headersSent]))
    return { props: {} }
  }
  const headers = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https', cookie: 'c=3' }
  const response = await under.renderer.request('/data/client?q=1', { headers })
  const socket = { remoteAddress: '192.0.2.7', encrypted: true }
  const request = { method: 'GET', url: '/data/client?q=1', headers, cookies: { c: '3' }, socket }
  expect(JSON.parse(response.body)).toEqual([
    expect.objectContaining({ ...request, headers: expect.objectContaining(headers) }),
    false,
  ])
  expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2'])
})

test('X10 the document has the request and response of getServerSideProps, and no client in pages for all clients', async () => {
  const { bundle } = under.site
  const seen: [string, DocumentClient['req']?][] = []
  const render: ServerBundle['render'] = (input) => {
    const client = input.client?.()
    seen.push([input.route, client?.req])
    // The cast: the response of getServerSideProps.
    const res = client?.res as PageResponse | undefined
    res?.setHeader('X-Document', 'own')
    if (input.hydration.url.endsWith('?moved')) res?.writeHead(302, { location: '/there' }).end()
    else if (res) res.statusCode = 418
    return bundle.render(input)
  }
  testSite.data.own = testSite.shared.own = () => ({ props: {} })
  const renderer = await startRenderer({ ...under.site, bundle: { ...bundle, render } })
  try {
    const headers = { 'user-agent': 'probe', cookie: 'a=1' }
    const own = await renderer.request('/data/own', { headers })
    expect([own.status, own.headers['x-document']]).toEqual([418, 'own'])
    const moved = await renderer.request('/data/own?moved', { headers })
    expect([moved.status, moved.headers.location, moved.body]).toEqual([302, '/there', ''])
    const shared = await renderer.request('/shared/own?a=1', { headers })
    expect([shared.status, shared.headers['x-document']]).toEqual([200, undefined])
    await renderer.request('/about', { headers })
    const client = { method: 'GET', url: '/data/own', headers: expect.objectContaining(headers), cookies: { a: '1' } }
    const none = { method: 'GET', url: '/shared/own', headers: {}, cookies: {} }
    expect(seen[0]).toEqual(['/data/[name]', expect.objectContaining(client)])
    expect(seen.slice(2)).toEqual([
      ['/shared/[name]', none],
      ['/about', undefined],
    ])
  } finally {
    await renderer.stop()
  }
})

test('X7 the router of a fallback page and of a default screen follow their rules', async () => {
  let finish: (value: unknown) => void = () => {}
  testSite.shared.late = () =>
    new Promise((done) => {
      finish = done
    })
  const semantics = { emptyShellParams: true, errorRoute: true }
  for (const [rules, params, route] of [
    [{}, '{"name":"late"}', '/404'],
    [semantics, '{}', '/_error'],
  ] as const) {
    const renderer = await startRenderer(under.site, { semantics: rules })
    try {
      expect((await renderer.request('/shell/late')).body).toContain(`"params":${params}`)
      expect((await renderer.request('/nothing/here')).body).toContain(`"route":"${route}"`)
    } finally {
      finish({ props: {} })
      await renderer.stop()
    }
  }
})

describe('the page data of Next.js', () => {
  const { data, shared } = testSite
  let renderer: TestRenderer
  beforeAll(async () => {
    renderer = await startRenderer(under.site, {
      semantics: { dataUrls: true, resolvedUrlQuery: true, addedQuery: true, requestUrl: true },
      basePath: '/base',
    })
  })
  afterAll(() => renderer.stop())

  const address = (page: string, build = renderer.manifest.buildId) => `/base/_next/data/${build}/${page}.json`
  const get = async (page: string, headers = {}) => {
    const response = await renderer.request(address(page.replace(/\?.*/, '')) + page.replace(/^[^?]*/, ''), { headers })
    return [response.status, JSON.parse(response.body)]
  }

  test('X2 of a page with getServerSideProps has its props, status, headers and cookies, and is stored by no cache', async () => {
    data.own = ({ query, params, resolvedUrl, req, res }) => {
      res.statusCode = 418
      res.setHeader('Set-Cookie', 'a=1')
      return { props: { query, params, resolvedUrl, url: req.url } }
    }
    const response = await renderer.request(`${address('data/own')}?q=1`)
    const props = {
      query: { q: '1', name: 'own' },
      params: { name: 'own' },
      resolvedUrl: '/data/own?q=1',
      url: `${address('data/own').slice('/base'.length)}?q=1`,
    }
    expect([response.status, JSON.parse(response.body)]).toEqual([418, { pageProps: props, __N_SSP: true }])
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      'portico-build': renderer.manifest.buildId,
      'set-cookie': ['a=1'],
    })
  })

  test('X2 R7 the query of a page has what a rewrite adds, and resolvedUrl has not', async () => {
    data.seen = ({ query, resolvedUrl }) => ({ props: { query, resolvedUrl } })
    const { body } = await renderer.request('/base/alias/seen?a=1')
    expect(body).toContain('"params":{"from":"alias","name":"seen"}')
    const path = `/base/_portico/data/${renderer.manifest.buildId}/alias/seen.json?a=1`
    expect(JSON.parse((await renderer.request(path)).body)).toMatchObject({
      params: { from: 'alias', name: 'seen' },
      props: { query: { from: 'alias', a: '1', name: 'seen' }, resolvedUrl: '/data/seen?a=1' },
    })
  })

  test('X2 redirects of data functions are data, without basePath, and notFound and errors have their status', async () => {
    const redirect = { destination: '/caf\u00e9?x=1', permanent: true }
    const to = { __N_REDIRECT: '/caf%C3%A9?x=1', __N_REDIRECT_STATUS: 308 }
    data.to = shared.to = () => ({ redirect })
    expect(await get('data/to')).toEqual([200, { pageProps: to, __N_SSP: true }])
    expect(await get('shared/to')).toEqual([200, { pageProps: to, __N_SSG: true }])
    data.none = shared.none = () => ({ notFound: true })
    expect(await get('data/none')).toEqual([404, { notFound: true }])
    expect(await get('shared/none')).toEqual([404, { notFound: true }])
    data.fails = () => {
      throw new Error('secret')
    }
    const [status, body] = await get('data/fails')
    expect([status, body]).toEqual([
      500,
      { error: expect.objectContaining({ status: 500, digest: expect.any(String) }) },
    ])
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  test('X2 of a page for all clients has its props, a tag of its own, and nothing of a client', async () => {
    let calls = 0
    shared.kept = () => ({ props: { calls: ++calls } })
    const headers = { cookie: 'a=1', 'x-nextjs-data': '1' }
    const first = await renderer.request(`${address('shared/kept')}?q=1`, { headers })
    expect(first.body).toBe('{"pageProps":{"calls":1},"__N_SSG":true}')
    expect(first.headers).toMatchObject({
      'cache-control': 'public, max-age=0, must-revalidate',
      etag: entityTag(Buffer.from(first.body)),
    })
    const held = { 'if-none-match': first.headers.etag! }
    expect((await renderer.request(address('shared/kept'), { headers: held })).status).toBe(304)
    // The same entry of the renderer's cache, in three representations.
    expect((await renderer.request('/base/shared/kept')).headers['content-type']).toContain('text/html')
    const own = await renderer.request(`/base/_portico/data/${renderer.manifest.buildId}/shared/kept.json`)
    expect(JSON.parse(own.body)).toMatchObject({ kind: 'page', props: { calls: 1 } })
    expect(calls).toBe(1)
  })

  test('X2 W8 is an entry of its own for the page cache of the gateway', async () => {
    shared.entry = ({ params }) => (params.name === 'entry' ? { props: { a: '<' }, tags: ['t'] } : { notFound: true })
    const entryOf = (pattern: string, name?: string) =>
      renderer.requestEntry(pattern, { as: 'next-data', params: name === undefined ? {} : { name } })
    const { head, html, data: bytes } = await entryOf('/shared/[name]', 'entry')
    expect([head.kind, head.tags, html.length, String(bytes)]).toEqual([
      'next-data',
      ['t'],
      0,
      '{"pageProps":{"a":"<"},"__N_SSG":true}',
    ])
    shared.moved = () => ({ redirect: { destination: '/there', permanent: false } })
    const moved = await entryOf('/shared/[name]', 'moved')
    expect([moved.head.kind, String(moved.data)]).toEqual([
      'redirect',
      '{"pageProps":{"__N_REDIRECT":"/there","__N_REDIRECT_STATUS":307},"__N_SSG":true}',
    ])
    expect((await entryOf('/about')).head.kind).toBe('not-found')
  })

  test('X2 is missing for pages without a data function, other paths and other builds; promises are refused by name', async () => {
    for (const page of ['about', 'index', 'nothing/here', 'index/index', 'index/a'])
      expect([page, (await renderer.request(address(page))).status]).toEqual([page, 404])
    const foreign = await renderer.request(address('data/own', 'other'))
    expect([foreign.status, foreign.body, foreign.headers['cache-control']]).toEqual([
      404,
      '{"kind":"foreign-build"}',
      'no-store',
    ])
    for (const path of ['/base/_next/data', `/base/_next/data/${renderer.manifest.buildId}/files/a`])
      expect((await renderer.request(path)).headers['content-type']).toContain('application/json')
    data.promised = shared.promised = () => ({ props: { later: Promise.resolve(1) } })
    for (const page of ['data/promised', 'shared/promised']) {
      renderer.errors.splice(0)
      expect((await get(page))[0]).toBe(500)
      expect(JSON.stringify(renderer.errors)).toContain('the props have promises')
    }
  })

  test('X2 outside of the mode the addresses are those of pages', async () => {
    const response = await under.renderer.request(`/_next/data/${renderer.manifest.buildId}/shared/kept.json`)
    expect([response.status, response.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  })
})
