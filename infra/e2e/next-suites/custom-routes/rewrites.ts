// Rewrites of the configuration, within the site.

import { request } from 'node:http'
import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'
import { AT, queryOf, statusOf } from './expectations.ts'

/** A path, and a part of the page that responds. */
function shows(number: number, does: string, path: string, part: string): Behaviour {
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'http',
    async run(site) {
      expect(await site.text(AT + path)).toContain(part)
    },
  }
}

/** A path, and the query of the page that responds. */
function queries(number: number, does: string, path: string, query: Record<string, unknown>): Behaviour {
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'http',
    async run(site) {
      expect(await queryOf(site, path)).toEqual(query)
    },
  }
}

/** A path, and the query of the API handler that responds. */
function echoes(number: number, does: string, path: string, query: Record<string, unknown>): Behaviour {
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'http',
    async run(site) {
      expect(JSON.parse(await site.text(AT + path))).toEqual({ query })
    },
  }
}

const ENCODED = '/all/one%20two%3Fw%3D24%26x%3Dy?c=d'

export const rewriteBehaviours: readonly Behaviour[] = [
  {
    id: 'custom-routes-1',
    does: 'distinguishes upper and lower case in the paths of rules',
    via: 'http',
    async run(site) {
      for (const path of ['/ONE', '/Brochure', '/MAP', '/Open/hall']) expect(await statusOf(site, path)).toBe(404)
    },
  },
  {
    id: 'custom-routes-3',
    does: 'survives a WebSocket whose path leads to a page',
    via: 'http',
    async run(site) {
      const headers = {
        ...{ connection: 'Upgrade', upgrade: 'websocket' },
        ...{ 'sec-websocket-key': 'c3VpdGVzIG9mIHBvcnQ=', 'sec-websocket-version': '13' },
      }
      await new Promise((done) => {
        request(`${site.origin}${AT}/one`, { headers, timeout: 1000 })
          .on('response', (response) => response.resume().on('close', done))
          .on('upgrade', (_response, socket) => done(socket.destroy()))
          .on('timeout', done)
          .on('error', done)
          .end()
      })
      expect(await statusOf(site, '/one')).toBe(200)
    },
  },
  {
    id: 'custom-routes-4',
    does: 'has the data of a page whose path is rewritten to another page',
    via: 'http',
    async run(site) {
      expect(await site.text(`${AT}/kept/coin`)).toContain('<h1>All that is kept</h1>')
      expect((await site.data(`${AT}/kept/coin`)).pageProps).toEqual({ params: { id: 'coin' } })
    },
    differs: {
      reason: 'the data of an address is that of the page which the address shows: here of one without data',
      async run(site: HttpSite) {
        expect(await site.text(`${AT}/kept/coin`)).toContain('<h1>All that is kept</h1>')
        expect((await site.fetch(`/_next/data/${site.buildId}${AT}/kept/coin.json`)).status).toBe(404)
      },
    },
  },
  {
    id: 'custom-routes-5',
    does: 'splits a value of the query into segments when it becomes a path',
    via: 'http',
    async run(site) {
      for (const [value, works] of [
        ['lake', ['lake']],
        ['blue%20lake', ['blue lake']],
        ['blue/lake', ['blue', 'lake']],
        ['blue%2flake', ['blue', 'lake']],
      ] as const)
        expect((await site.stateOf(`${AT}/of-wing?works=${value}`)).props).toEqual({ params: { works } })
    },
  },
  {
    id: 'custom-routes-9',
    does: 'rewrites a path of 3000 characters',
    via: 'http',
    async run(site) {
      const path = 'Xy7'.repeat(1000)
      expect((await site.stateOf(`${AT}/all/${path}`)).pathname).toBe(`${AT}/hall`)
    },
  },
  shows(15, 'shows the page to which a path is rewritten', '/one', '<h1>Garden</h1>'),
  shows(16, 'rewrites from one rule to the next', '/start', '<h1>Terrace</h1>'),
  shows(26, 'serves a public file to which a path is rewritten', '/brochure', 'opens at nine\n'),
  shows(27, 'puts a parameter into the path', '/open/terrace', '<h1>Terrace</h1>'),
  queries(28, 'adds no parameter to the query that the path uses', '/open/hall?a=b', { a: 'b' }),
  queries(30, 'puts parameters into the query, and adds them to it', '/search/a/b?c=d', {
    ...{ what: 'a', named: 'b', kind: 'a', name: 'b', c: 'd' },
  }),
  queries(31, 'adds the segments of a catch-all to the query', '/all/a/b?c=d', { path: ['a', 'b'], c: 'd' }),
  {
    id: 'custom-routes-32',
    does: 'keeps the encoding of the segments of a catch-all',
    via: 'http',
    async run(site) {
      expect(await queryOf(site, ENCODED)).toEqual({ path: ['one%20two%3Fw%3D24%26x%3Dy'], c: 'd' })
    },
    differs: {
      reason: 'a parameter is decoded once, in the query as in a path',
      async run(site: HttpSite) {
        expect((await site.stateOf(AT + ENCODED)).query).toEqual({ path: ['one two?w=24&x=y'], c: 'd' })
      },
    },
  },
  queries(33, 'puts a catch-all into the query with its slashes', '/all-in-query/a/b?c=d', {
    ...{ path: ['a', 'b'], also: 'a/b', c: 'd' },
  }),
  queries(37, 'replaces a parameter by that of the next rule', '/change/first/second', {
    ...{ one: 'a-fixed-value', two: 'second' },
  }),
  queries(
    38,
    'prefers parameters, and the query of the rule, to the query of the request',
    '/search/a/b?kind=no&name=no&what=no&named=no&more=yes',
    { what: 'a', named: 'b', kind: 'a', name: 'b', more: 'yes' },
  ),
  shows(39, 'rewrites no path that has a page of its own', '/entrance', '<h1>Entrance</h1>'),
  shows(45, 'rewrites to a page before it looks for pages with parameters', '/two', '<h1>Terrace</h1>'),
  {
    id: 'custom-routes-46',
    does: 'rewrites from one value of a parameter to another',
    via: 'http',
    async run(site) {
      expect((await site.stateOf(`${AT}/room/11`)).props).toEqual({ params: { number: '12' } })
    },
  },
  shows(47, 'serves a public file of another name in the same folder', '/gallery/list.json', '["harbour", "mill"]\n'),
  {
    id: 'custom-routes-48',
    does: 'serves a script of the build by another path',
    via: 'http',
    async run(site) {
      const script = /<script[^>]* src="(\/[^"]+\.js)"/.exec(await site.text(`${AT}/garden`))?.[1]
      const direct = await site.fetch(script ?? '')
      const hidden = await site.fetch(`${AT}/hidden${script}`)
      expect([direct.status, hidden.status]).toEqual([200, 200])
      expect(await hidden.text()).toBe(await direct.text())
    },
    differs: {
      reason:
        'a rewrite opens no address of the framework: rules for its files, such as those of a cache, are by address',
      async run(site: HttpSite) {
        const script = /<script[^>]* src="(\/[^"]+\.js)"/.exec(await site.text(`${AT}/garden`))?.[1]
        expect((await site.fetch(script ?? '')).status).toBe(200)
        expect((await site.fetch(`${AT}/hidden${script}`)).status).toBe(404)
      },
    },
  },
  echoes(62, 'rewrites to an API handler', '/echo', {}),
  echoes(63, 'puts an expression into the query of an API handler', '/echo-all/a/b', { first: 'a/b', named: 'a/b' }),
  echoes(64, 'puts a parameter into the query of an API handler', '/echo-one/a', { first: 'a', named: 'a' }),
  queries(66, 'adds a parameter between expressions to the query', '/parts/of/a/b/c/d/e', { middle: 'd' }),
]
