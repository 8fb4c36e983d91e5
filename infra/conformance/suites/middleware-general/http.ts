// Middleware, over HTTP.

import { expect } from 'vitest'
import type { HttpSite } from '../../harness/behaviour.ts'
import { AT, type At, type PlacedBehaviour } from './place.ts'

/** What middleware has tried, or the error. */
async function shownAt(site: HttpSite, path: string) {
  const { headers } = await site.fetch(path)
  return JSON.parse(headers.get('x-shown') ?? 'null') as { value?: unknown; name?: string; message?: string }
}

/** What middleware saw of a request that it let continue. */
async function askedAt(site: HttpSite, path: string) {
  const { headers } = await site.fetch(path)
  return JSON.parse(headers.get('x-asked') ?? 'null') as Record<string, unknown>
}

type Placed = PlacedBehaviour<HttpSite>

function refusesRelative(number: number, what: string, path: string): Placed {
  return {
    number,
    does: `makes no ${what} of a path alone`,
    async run(site, at) {
      expect((await shownAt(site, at(`/relative/${path}`))).message).toMatch(/URL/)
    },
  }
}

/** Middleware shows a value, which the check receives. */
function shows(number: number, does: string, path: string, check: (shown: { value?: unknown }) => void): Placed {
  return { number, does, run: async (site, at) => check(await shownAt(site, at(path))) }
}

/** With locales, which a site of its own has. */
function withLocale(number: number, does: string, id: string): Placed {
  return {
    number,
    does,
    configuration: 'middleware-locales',
    async run(site) {
      expect(await askedAt(site, `/fr/asked/${id}`)).toMatchObject({ pathname: `/asked/${id}`, locale: 'fr' })
    },
  }
}

async function namesAgent(site: HttpSite, at: At, agent: string) {
  expect((await shownAt(site, at('/agent'))).value).toBe(agent)
  expect((await shownAt(site, at('/own-agent'))).value).toBe('walker')
}

const MATCHED = 'x-nextjs-matched-path'

export const http: readonly Placed[] = [
  {
    number: 1,
    does: 'lets a page with fixed paths respond, and 404 for another path',
    async run(site, at) {
      expect(await site.stateOf(at('/known/one'))).toMatchObject({ props: { params: { slug: 'one' } } })
      expect((await site.fetch(at('/known/two'))).status).toBe(404)
    },
  },
  {
    number: 3,
    does: 'rewrites the path of a script that no build has',
    async run(site) {
      expect(await site.stateOf('/_next/static/chunks/pages/_app-of-nobody.js')).toMatchObject({ props: { page: 'a' } })
    },
  },
  {
    number: 10,
    does: 'passes the query that a rewrite has added to a handler',
    async run(site, at) {
      expect(await (await site.fetch(`/api${at('/words?own=yes')}`)).json()).toEqual({ own: 'yes', added: 'middleware' })
    },
  },
  {
    number: 11,
    does: 'redirects with headers of its own',
    async run(site, at) {
      const { status, headers } = await site.fetch(at('/elsewhere'))
      expect([status, headers.get('x-sent-by')]).toEqual([307, 'middleware'])
      expect(new URL(headers.get('location') ?? '', site.origin).pathname).toBe(at('/there'))
    },
  },
  {
    number: 21,
    does: 'responds with 400 to a path that cannot be decoded',
    async run(site, at) {
      expect((await site.fetch(at('/posts/%2'))).status).toBe(400)
    },
  },
  {
    number: 22,
    does: 'fetches with a user agent of its own, unless it gives another one',
    run: (site, at) => namesAgent(site, at, 'Next.js Middleware'),
    differs: { reason: 'middleware runs on Node, whose fetch names itself', run: (site, at) => namesAgent(site, at, 'node') },
  },
  shows(23, 'reads values of the environment', '/values', ({ value }) => expect(value).toEqual({ base: 'public', secret: 'private' })),
  shows(24, 'has a global object', '/names', ({ value }) => expect(value).not.toEqual([])),
  shows(25, 'makes keys', '/key', ({ value }) => expect(value).toBe('secret')),
  shows(26, 'fetches an address that is a URL', '/fetched-url', ({ value }) => expect(value).toBe(200)),
  shows(27, 'aborts a fetch', '/aborted', (shown) => expect(shown).toMatchObject({ name: 'AbortError' })),
  {
    number: 28,
    does: 'sees the path of a request without parameters',
    async run(site, at) {
      const path = at('/start')
      expect(await askedAt(site, path)).toEqual({ basePath: '', pathname: path, word: null, path })
    },
  },
  withLocale(29, 'sees the locale of a path with a number', '1'),
  withLocale(30, 'sees the locale of a path with a word', 'one'),
  {
    number: 31,
    does: 'sees the parameters and the query of a request',
    async run(site, at) {
      const asked = await askedAt(site, at('/asked/kind/7?word=seen'))
      expect(asked).toMatchObject({ found: { kind: 'kind', id: '7' }, word: 'seen', basePath: '' })
    },
  },
  refusesRelative(32, 'URL', 'url'),
  refusesRelative(33, 'NextRequest', 'next-request'),
  refusesRelative(34, 'Request', 'request'),
  refusesRelative(35, 'redirect', 'redirect'),
  refusesRelative(36, 'redirect of NextResponse', 'next-redirect'),
  refusesRelative(37, 'rewrite', 'next-rewrite'),
  {
    number: 38,
    does: 'decides about the data of a page as about its document',
    async run(site, at) {
      expect(await site.stateOf(at('/served'))).toMatchObject({ props: { text: 'shown instead' } })
      expect((await site.data(`${AT}/served`)).pageProps).toEqual({ text: 'shown instead' })
    },
  },
  {
    number: 39,
    does: 'sees the path of the page in a request for its data',
    async run(site, at) {
      const asked = await askedAt(site, `/_next/data/${site.buildId}${AT}/shallow.json`)
      expect(asked).toMatchObject({ path: at('/shallow') })
    },
  },
  {
    number: 40,
    does: 'sees other paths of Next.js as they are',
    async run(site) {
      const path = '/_next/static/of-nobody/list.json?a=1'
      expect(await askedAt(site, path)).toMatchObject({ path })
    },
  },
  {
    number: 41,
    does: 'names the page of a rewrite in a header of page data',
    async run(site, at) {
      const headers = { 'x-nextjs-data': '1' }
      const response = await site.fetch(`/_next/data/${site.buildId}${AT}/served.json`, { headers })
      expect(response.headers.get(MATCHED)).toBe(`${AT}/served-instead`)
      expect((await site.fetch(at('/served'))).headers.get(MATCHED)).toBe(null)
    },
    differs: {
      reason: 'the page data of the router names its page; no header is needed',
      async run(site, at) {
        expect((await site.fetch(at('/served'))).headers.get(MATCHED)).toBe(null)
        const own = await site.fetch(`/_portico/data/${site.buildId}${AT}/served.json`)
        expect(await own.json()).toMatchObject({ route: `${AT}/served-instead`, props: { text: 'shown instead' } })
      },
    },
  },
]
