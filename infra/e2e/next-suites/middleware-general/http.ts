// Middleware, over HTTP.

import { expect } from 'vitest'
import type { Behaviour, HttpSite, Run } from '../harness/behaviour.ts'

const AT = '/middleware-general'

function overHttp(number: number, does: string, run: Run<HttpSite>): Behaviour & { via: 'http' } {
  return { id: `middleware-general-${number}`, does, via: 'http', configuration: 'middleware', run }
}

/** What middleware has tried, or the error. */
async function shownAt(site: HttpSite, path: string) {
  const { headers } = await site.fetch(AT + path)
  return JSON.parse(headers.get('x-shown') ?? 'null') as { value?: unknown; name?: string; message?: string }
}

/** What middleware saw of a request that it let continue. */
async function askedAt(site: HttpSite, path: string) {
  const { headers } = await site.fetch(path)
  return JSON.parse(headers.get('x-asked') ?? 'null') as Record<string, unknown>
}

function refusesRelative(number: number, what: string, path: string): Behaviour {
  return overHttp(number, `makes no ${what} of a path alone`, async (site) => {
    expect((await shownAt(site, `/relative/${path}`)).message).toMatch(/URL/)
  })
}

/** With locales, which a site of its own has. */
function withLocale(number: number, does: string, path: string, id: string): Behaviour {
  return {
    ...overHttp(number, does, async (site) => {
      expect(await askedAt(site, path)).toMatchObject({ pathname: `/asked/${id}`, locale: 'fr' })
    }),
    configuration: 'middleware-locales',
  }
}

export const http: readonly Behaviour[] = [
  overHttp(1, 'lets a page with fixed paths respond, and 404 for another path', async (site) => {
    expect(await site.stateOf(`${AT}/known/one`)).toMatchObject({ props: { params: { slug: 'one' } } })
    expect((await site.fetch(`${AT}/known/two`)).status).toBe(404)
  }),
  overHttp(3, 'rewrites the path of a script that no build has', async (site) => {
    expect(await site.stateOf('/_next/static/chunks/pages/_app-of-nobody.js')).toMatchObject({ props: { page: 'a' } })
  }),
  overHttp(10, 'passes the query that a rewrite has added to a handler', async (site) => {
    expect(await (await site.fetch(`/api${AT}/words?own=yes`)).json()).toEqual({ own: 'yes', added: 'middleware' })
  }),
  overHttp(11, 'redirects with headers of its own', async (site) => {
    const { status, headers } = await site.fetch(`${AT}/elsewhere`)
    expect([status, headers.get('x-sent-by')]).toEqual([307, 'middleware'])
    expect(new URL(headers.get('location') ?? '', site.origin).pathname).toBe(`${AT}/there`)
  }),
  overHttp(21, 'responds with 400 to a path that cannot be decoded', async (site) => {
    expect((await site.fetch(`${AT}/posts/%2`)).status).toBe(400)
  }),
  {
    ...overHttp(22, 'fetches with a user agent of its own, unless it gives another one', async (site) => {
      expect((await shownAt(site, '/agent')).value).toBe('Next.js Middleware')
      expect((await shownAt(site, '/own-agent')).value).toBe('walker')
    }),
    differs: {
      reason: 'middleware runs on Node, whose fetch names itself',
      async run(site: HttpSite) {
        expect((await shownAt(site, '/agent')).value).toBe('node')
        expect((await shownAt(site, '/own-agent')).value).toBe('walker')
      },
    },
  },
  overHttp(23, 'reads values of the environment', async (site) => {
    expect((await shownAt(site, '/values')).value).toEqual({ base: 'public', secret: 'private' })
  }),
  overHttp(24, 'has a global object', async (site) => {
    expect((await shownAt(site, '/names')).value).not.toEqual([])
  }),
  overHttp(25, 'makes keys', async (site) => {
    expect((await shownAt(site, '/key')).value).toBe('secret')
  }),
  overHttp(26, 'fetches an address that is a URL', async (site) => {
    expect((await shownAt(site, '/fetched-url')).value).toBe(200)
  }),
  overHttp(27, 'aborts a fetch', async (site) => {
    expect((await shownAt(site, '/aborted')).name).toBe('AbortError')
  }),
  overHttp(28, 'sees the path of a request without parameters', async (site) => {
    const asked = { basePath: '', pathname: `${AT}/start`, word: null }
    expect(await askedAt(site, `${AT}/start`)).toEqual({ ...asked, path: `${AT}/start` })
  }),
  withLocale(29, 'sees the locale of a path with a number', '/fr/asked/1', '1'),
  withLocale(30, 'sees the locale of a path with a word', '/fr/asked/one', 'one'),
  overHttp(31, 'sees the parameters and the query of a request', async (site) => {
    const asked = await askedAt(site, `${AT}/asked/kind/7?word=seen`)
    expect(asked).toMatchObject({ found: { kind: 'kind', id: '7' }, word: 'seen', basePath: '' })
  }),
  refusesRelative(32, 'URL', 'url'),
  refusesRelative(33, 'NextRequest', 'next-request'),
  refusesRelative(34, 'Request', 'request'),
  refusesRelative(35, 'redirect', 'redirect'),
  refusesRelative(36, 'redirect of NextResponse', 'next-redirect'),
  refusesRelative(37, 'rewrite', 'next-rewrite'),
  overHttp(38, 'decides about the data of a page as about its document', async (site) => {
    expect(await site.stateOf(`${AT}/served`)).toMatchObject({ props: { text: 'shown instead' } })
    expect((await site.data(`${AT}/served`)).pageProps).toEqual({ text: 'shown instead' })
  }),
  overHttp(39, 'sees the path of the page in a request for its data', async (site) => {
    const asked = await askedAt(site, `/_next/data/${site.buildId}${AT}/shallow.json`)
    expect(asked).toMatchObject({ path: `${AT}/shallow` })
  }),
  overHttp(40, 'sees other paths of Next.js as they are', async (site) => {
    const path = '/_next/static/of-nobody/list.json?a=1'
    expect(await askedAt(site, path)).toMatchObject({ path })
  }),
  {
    ...overHttp(41, 'names the page of a rewrite in a header of page data', async (site) => {
      const headers = { 'x-nextjs-data': '1' }
      const response = await site.fetch(`/_next/data/${site.buildId}${AT}/served.json`, { headers })
      expect(response.headers.get('x-nextjs-matched-path')).toBe(`${AT}/served-instead`)
      expect((await site.fetch(`${AT}/served`)).headers.get('x-nextjs-matched-path')).toBe(null)
    }),
    differs: {
      reason: 'the page data of the router names its page; no header is needed',
      async run(site: HttpSite) {
        expect((await site.fetch(`${AT}/served`)).headers.get('x-nextjs-matched-path')).toBe(null)
        const own = await site.fetch(`/_portico/data/${site.buildId}${AT}/served.json`)
        expect(await own.json()).toMatchObject({ route: `${AT}/served-instead`, props: { text: 'shown instead' } })
      },
    },
  },
]
