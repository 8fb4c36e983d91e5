// Rewrites of the configuration, within the site.

import { request } from 'node:http'
import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { AT, statusOf } from './expectations.ts'

const suite = behavioursOf('custom-routes')

const ENCODED = '/all/one%20two%3Fw%3D24%26x%3Dy?c=d'

/** A value of the query, which becomes a path. */
const ofWing = (value: string, works: readonly string[]) => ({ path: `/of-wing?works=${value}`, props: { params: { works } } })

const plain = responses(
  'custom-routes',
  {
    '1 distinguishes upper and lower case in the paths of rules': { path: ['/ONE', '/Brochure', '/MAP', '/Open/hall'], status: 404 },
    '4 has the data of a page whose path is rewritten to another page': {
      requests: [
        { path: '/kept/coin', text: '<h1>All that is kept</h1>' },
        { data: '/kept/coin', pageProps: { params: { id: 'coin' } } },
      ],
      differs: {
        reason: 'the data of an address is that of the page which the address shows: here of one without data',
        requests: [
          { path: '/kept/coin', text: '<h1>All that is kept</h1>' },
          { data: '/kept/coin', status: 404 },
        ],
      },
    },
    '5 splits a value of the query into segments when it becomes a path': {
      requests: [
        ofWing('lake', ['lake']),
        ofWing('blue%20lake', ['blue lake']),
        ofWing('blue/lake', ['blue', 'lake']),
        ofWing('blue%2flake', ['blue', 'lake']),
      ],
    },
    '9 rewrites a path of 3000 characters': { path: `/all/${'Xy7'.repeat(1000)}`, state: { pathname: `${AT}/hall` } },
    '15 shows the page to which a path is rewritten': { path: '/one', text: '<h1>Garden</h1>' },
    '16 rewrites from one rule to the next': { path: '/start', text: '<h1>Terrace</h1>' },
    '26 serves a public file to which a path is rewritten': { path: '/brochure', text: 'opens at nine\n' },
    '27 puts a parameter into the path': { path: '/open/terrace', text: '<h1>Terrace</h1>' },
    '28 adds no parameter to the query that the path uses': { path: '/open/hall?a=b', status: 200, query: { a: 'b' } },
    '30 puts parameters into the query, and adds them to it': {
      path: '/search/a/b?c=d',
      status: 200,
      query: { what: 'a', named: 'b', kind: 'a', name: 'b', c: 'd' },
    },
    '31 adds the segments of a catch-all to the query': { path: '/all/a/b?c=d', status: 200, query: { path: ['a', 'b'], c: 'd' } },
    '32 keeps the encoding of the segments of a catch-all': {
      path: ENCODED,
      status: 200,
      query: { path: ['one%20two%3Fw%3D24%26x%3Dy'], c: 'd' },
      differs: { reason: 'a parameter is decoded once, in the query as in a path', path: ENCODED, query: { path: ['one two?w=24&x=y'], c: 'd' } },
    },
    '33 puts a catch-all into the query with its slashes': { path: '/all-in-query/a/b?c=d', status: 200, query: { path: ['a', 'b'], also: 'a/b', c: 'd' } },
    '37 replaces a parameter by that of the next rule': { path: '/change/first/second', status: 200, query: { one: 'a-fixed-value', two: 'second' } },
    '38 prefers parameters, and the query of the rule, to the query of the request': {
      path: '/search/a/b?kind=no&name=no&what=no&named=no&more=yes',
      status: 200,
      query: { what: 'a', named: 'b', kind: 'a', name: 'b', more: 'yes' },
    },
    '39 rewrites no path that has a page of its own': { path: '/entrance', text: '<h1>Entrance</h1>' },
    '45 rewrites to a page before it looks for pages with parameters': { path: '/two', text: '<h1>Terrace</h1>' },
    '46 rewrites from one value of a parameter to another': { path: '/room/11', props: { params: { number: '12' } } },
    '47 serves a public file of another name in the same folder': { path: '/gallery/list.json', text: '["harbour", "mill"]\n' },
    '62 rewrites to an API handler': { path: '/echo', json: { query: {} } },
    '63 puts an expression into the query of an API handler': { path: '/echo-all/a/b', json: { query: { first: 'a/b', named: 'a/b' } } },
    '64 puts a parameter into the query of an API handler': { path: '/echo-one/a', json: { query: { first: 'a', named: 'a' } } },
    '66 adds a parameter between expressions to the query': { path: '/parts/of/a/b/c/d/e', status: 200, query: { middle: 'd' } },
  },
  { at: AT },
)

export const rewriteBehaviours: readonly Behaviour[] = [
  ...plain,
  suite.overHttp(3, 'survives a WebSocket whose path leads to a page', async (site) => {
    const headers = { ...{ connection: 'Upgrade', upgrade: 'websocket' }, ...{ 'sec-websocket-key': 'c3VpdGVzIG9mIHBvcnQ=', 'sec-websocket-version': '13' } }
    await new Promise((done) => {
      request(`${site.origin}${AT}/one`, { headers, timeout: 1000 })
        .on('response', (response) => response.resume().on('close', done))
        .on('upgrade', (_response, socket) => done(socket.destroy()))
        .on('timeout', done)
        .on('error', done)
        .end()
    })
    expect(await statusOf(site, '/one')).toBe(200)
  }),
  suite.overHttp(
    48,
    'serves a script of the build by another path',
    async (site) => {
      const script = /<script[^>]* src="(\/[^"]+\.js)"/.exec(await site.text(`${AT}/garden`))?.[1]
      const direct = await site.fetch(script ?? '')
      const hidden = await site.fetch(`${AT}/hidden${script}`)
      expect([direct.status, hidden.status]).toEqual([200, 200])
      expect(await hidden.text()).toBe(await direct.text())
    },
    {
      differs: {
        reason: 'a rewrite opens no address of the framework: rules for its files, such as those of a cache, are by address',
        async run(site: HttpSite) {
          const script = /<script[^>]* src="(\/[^"]+\.js)"/.exec(await site.text(`${AT}/garden`))?.[1]
          expect((await site.fetch(script ?? '')).status).toBe(200)
          expect((await site.fetch(`${AT}/hidden${script}`)).status).toBe(404)
        },
      },
    },
  ),
]
