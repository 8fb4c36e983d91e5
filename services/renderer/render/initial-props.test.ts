// getInitialProps of pages, `_app` and `_error` through HTTP, in a site whose `_app` has one of its own (X11).

import { expect, test } from 'vitest'
import { type SiteContext, testSite } from '../testing/site.ts'
import { rendererForTests, shownProps } from '../testing/start-renderer.ts'

const SHOWN = `(props) => <pre id="props">{JSON.stringify(props)}</pre>`
const under = rendererForTests({
  dataTimeoutMs: 300,
  files: {
    'portico.config.ts': "export default { next: true, prerender: 'start' }",
    'next.config.js': 'export default {}',
    'pages/_app.tsx': `import App from 'next/app'
export default class SiteApp extends App {
  static async getInitialProps(context) {
    const own = await globalThis.porticoTestSite.data.app?.(context.ctx)
    return { ...(await App.getInitialProps(context)), ...own }
  }
  render() {
    const { Component, pageProps, menu } = this.props
    return <><nav>{menu}</nav><Component {...pageProps} /></>
  }
}`,
    'pages/initial/[name].tsx': `const Page = ${SHOWN}
Page.getInitialProps = (context) => globalThis.porticoTestSite.data[context.query.name](context)
export default Page`,
    'pages/_error.tsx': `const Screen = ${SHOWN}
Screen.getInitialProps = ({ res, err, pathname, asPath }) => ({ statusCode: res.statusCode, message: err?.message, pathname, asPath })
export default Screen`,
  },
})

interface InitialContext extends SiteContext {
  pathname: string
  asPath: string
  err?: Error
  AppTree: unknown
}
const contextOf = (context: SiteContext) => context as InitialContext

test('X11 the page has the props, and the context of getInitialProps is that of the request', async () => {
  testSite.data.own = (given) => {
    const { pathname, query, asPath, req, err, AppTree } = contextOf(given)
    return { pathname, query, asPath, url: req.url, cookie: req.headers.cookie, err, AppTree: typeof AppTree }
  }
  const response = await under.renderer.request('/initial/own?q=1', { headers: { cookie: 'a=1' } })
  expect(shownProps(response)).toEqual({
    pathname: '/initial/[name]',
    query: { q: '1', name: 'own' },
    asPath: '/initial/own?q=1',
    url: '/initial/own?q=1',
    cookie: 'a=1',
    AppTree: 'function',
  })
  expect(response.headers['cache-control']).toBe('private, no-store')
  expect(response.body).toContain('"gip":true,"appGip":true')
})

test('X11 getInitialProps of _app makes props of _app for every page, also of those with a data function', async () => {
  testSite.data.app = () => ({ menu: '<menu>' })
  testSite.data.both = testSite.shared.both = () => ({ props: { own: 1 } })
  try {
    for (const path of ['/initial/own', '/data/both', '/shared/both', '/about', '/nothing/here']) {
      const { body } = await under.renderer.request(path)
      expect([path, body]).toEqual([path, expect.stringContaining('<nav>&lt;menu&gt;</nav>')])
      expect(body).toMatch(/"props":{"menu":"\\u003cmenu>",.*"pageProps":{/)
    }
    const data = await under.renderer.requestData('/data/both.json')
    expect(JSON.parse(data.body).props).toEqual({ own: 1, __portico_app: { menu: '<menu>' } })
    const { buildId } = under.renderer.manifest
    const next = await under.renderer.request(`/_next/data/${buildId}/data/both.json`)
    expect(JSON.parse(next.body)).toEqual({ menu: '<menu>', pageProps: { own: 1 }, __N_SSP: true })
    expect((await under.renderer.request(`/_next/data/${buildId}/initial/own.json`)).status).toBe(404)
  } finally {
    delete testSite.data.app
  }
})

test('X11 getInitialProps may send the response itself, and sets status and headers of the page', async () => {
  testSite.data.ended = ({ res }) => {
    res.writeHead(302, { Location: '/there' }).end()
  }
  const moved = await under.renderer.request('/initial/ended')
  expect([moved.status, moved.headers.location, moved.body]).toEqual([302, '/there', ''])
  testSite.data.kept = ({ res }) => {
    res.statusCode = 201
    res.setHeader('Cache-Control', 'public, max-age=9')
    return {}
  }
  const kept = await under.renderer.request('/initial/kept', { method: 'POST', body: 'a=1' })
  expect([kept.status, kept.headers['cache-control']]).toEqual([201, 'private, no-store'])
  expect((await under.renderer.request('/initial/kept')).headers['cache-control']).toBe('public, max-age=9')
})

test('X11 a failure, a late result and one that is no object are failures of the page, which _error receives', async () => {
  testSite.data.fails = () => Promise.reject(new Error('the store is closed'))
  testSite.data.late = () => new Promise(() => {})
  testSite.data.none = () => undefined
  for (const [name, message] of [
    ['fails', 'the store is closed'],
    ['late', 'getInitialProps of /initial/[name] took longer than 300 ms'],
    ['none', 'getInitialProps of Page must return an object; it returned undefined'],
  ]) {
    const response = await under.renderer.request(`/initial/${name}`)
    expect(response.status).toBe(500)
    expect(shownProps(response)).toMatchObject({
      statusCode: 500,
      message,
      pathname: '/_error',
      asPath: `/initial/${name}`,
    })
  }
})

test('X11 the screen of paths without a page is made for each client, and is no entry of the page cache', async () => {
  const response = await under.renderer.request('/nothing/here?a=1')
  expect([response.status, response.headers['cache-control']]).toEqual([404, 'private, no-store'])
  expect(shownProps(response)).toEqual({ statusCode: 404, pathname: '/_error', asPath: '/nothing/here?a=1' })
  expect((await under.renderer.requestEntry('/404')).head.kind).toBe('shell')
})

test('X11 props of a data function never become those of _app', async () => {
  testSite.data.posted = () => ({ props: { __portico_app: { menu: 'of a client' } } })
  const response = await under.renderer.request('/data/posted')
  expect([response.status, response.body]).toEqual([500, expect.not.stringContaining('of a client')])
})
