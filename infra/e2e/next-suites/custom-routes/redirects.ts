// Redirects of the configuration.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'
import { AT, redirectOf, statusOf } from './expectations.ts'

/** One redirect: its path, and where it leads. */
function redirects(
  number: number,
  does: string,
  path: string,
  expected: { status: number; path: string; query?: Record<string, string>; hash?: string },
): Behaviour {
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'http',
    async run(site) {
      const found = await redirectOf(site, path)
      expect({ status: found.status, path: found.path, query: found.query, hash: found.url.hash }).toEqual({
        query: {},
        hash: '',
        ...expected,
      })
    },
  }
}

/** A redirect to another host. URLs are compared by their parts: percent-encoding of a query is not unique. */
function leaves(number: number, does: string, path: string, to: { page: string; back: string | null }): Behaviour {
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'http',
    async run(site) {
      const { status, url } = await redirectOf(site, path)
      expect(status).toBe(307)
      expect({ page: url.origin + url.pathname, back: url.searchParams.get('back') }).toEqual(to)
    },
  }
}

/** A permanent redirect, whose Refresh is for browsers that do not follow the status 308. */
function refreshes(number: number, does: string, search: string): Behaviour {
  const expectRefresh = (refresh: string | null) => async (site: HttpSite) => {
    const { status, headers } = await site.fetch(`${AT}/moved-for-ever${search}`)
    expect(status).toBe(308)
    expect(headers.get('location')?.replace(site.origin, '')).toBe(`${AT}/garden${search}`)
    expect(headers.get('refresh')).toBe(refresh)
  }
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'http',
    run: expectRefresh(`0;url=${AT}/garden${search}`),
    differs: { reason: 'every browser that Portico supports follows 308 without Refresh', run: expectRefresh(null) },
  }
}

const SIGN_IN = { page: 'https://login.example.com/start', back: 'https://www.example.com/home' }

export const redirectBehaviours: readonly Behaviour[] = [
  {
    id: 'custom-routes-19',
    does: 'redirects from one rule to the next, each with its own status',
    via: 'http',
    async run(site) {
      const stops = ['/first-stop', '/second-stop', '/third-stop', '/garden']
      for (const [index, status] of [301, 302, 303].entries())
        expect(await redirectOf(site, stops[index]!)).toMatchObject({ status, path: stops[index + 1] })
    },
  },
  {
    id: 'custom-routes-20',
    does: 'redirects no path below /_next',
    via: 'http',
    async run(site) {
      const init = { headers: { 'x-custom-routes': 'yes' } }
      expect((await site.fetch('/_next/with-mark', init)).status).toBe(404)
      expect((await site.fetch('/anywhere/with-mark', init)).status).toBe(307)
    },
  },
  redirects(21, 'redirects for some time', '/moved', { status: 307, path: '/garden' }),
  redirects(22, 'puts a parameter into the location', '/floors/3/plan', { status: 307, path: '/plans/3' }),
  redirects(23, 'puts a parameter into the fragment of the location', '/faults/404', {
    ...{ status: 301, path: '/help', hash: '#404' },
  }),
  redirects(24, 'redirects with the status of the rule', '/moved-long-ago', { status: 301, path: '/garden' }),
  redirects(25, 'redirects all that a catch-all has', '/all-of/a/b', { status: 307, path: '/garden' }),
  {
    id: 'custom-routes-29',
    does: 'leads to a page over two redirects',
    via: 'http',
    async run(site) {
      expect(await site.text(`${AT}/map`, { redirect: 'follow' })).toContain('<h1>Garden</h1>')
    },
  },
  redirects(35, 'puts parameters into the query of the location, before that of the request', '/find/a/b?c=d', {
    ...{ status: 307, path: '/hall', query: { what: 'a', named: 'b', c: 'd' } },
  }),
  redirects(36, 'encodes a parameter in the query of the location', '/find/one%20two%3Fw%3D24%26x%3Dy/b?c=d', {
    ...{ status: 307, path: '/hall', query: { what: 'one two?w=24&x=y', named: 'b', c: 'd' } },
  }),
  redirects(40, 'redirects from the path of a page', '/closed-page', { status: 307, path: '/garden' }),
  leaves(49, 'redirects to another host', '/out', { page: 'https://www.example.com/', back: null }),
  redirects(58, 'compares parameters without a name', '/door/north/wind', { status: 307, path: '/garden' }),
  redirects(59, 'takes a digit as the name of a parameter', '/numbered/garden', { status: 307, path: '/garden' }),
  refreshes(60, 'sends Refresh with a permanent redirect', ''),
  refreshes(61, 'keeps the encoding of the query in Location and Refresh', '?%C3%A4=%E2%82%AC'),
  {
    id: 'custom-routes-65',
    does: 'stays on its host when a parameter begins with a backslash',
    via: 'http',
    async run(site) {
      const { status, url, query } = await redirectOf(site, '/in/%5Cwww.example.com')
      expect(status).toBe(307)
      expect(url.origin).toBe(site.origin)
      expect(url.pathname).toBe('/%5Cwww.example.com/garden')
      expect(query).toEqual({})
    },
  },
  redirects(67, 'compares a parameter with alternatives, and another within a segment', '/guide/tours/v1-of/town', {
    ...{ status: 307, path: '/tours/-of/town' },
  }),
  leaves(68, 'redirects to a URL with another, encoded URL in its query', '/sign-in', SIGN_IN),
  leaves(69, 'redirects to a URL with another URL in its query', '/sign-in-plain', SIGN_IN),
  {
    id: 'custom-routes-91',
    does: 'redirects to a host made of a part of the host of the request',
    via: 'http',
    async run(site) {
      expect(await statusOf(site, '/with-part-of-host')).toBe(404)
      const init = { headers: { host: 'lyon-branch.example.org' } }
      const { status, url } = await redirectOf(site, '/with-part-of-host', init)
      expect(status).toBe(307)
      expect(url.href).toBe('https://lyon.example.org/shows/all?c=d')
    },
  },
  {
    id: 'custom-routes-92',
    does: 'compares the last value of a repeated name of the query',
    via: 'http',
    async run(site) {
      const { status, url } = await redirectOf(site, '/with-repeated-query?guest=anna&guest=otto')
      expect(status).toBe(307)
      expect(url.pathname).toBe(`${AT}/hall`)
      expect(url.searchParams.getAll('guest')).toEqual(['anna', 'otto'])
      expect(url.searchParams.getAll('last')).toEqual(['otto'])
    },
  },
]
