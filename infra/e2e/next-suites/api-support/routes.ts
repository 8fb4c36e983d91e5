// Which handler a request reaches, and with which parameters.

import { expect } from 'vitest'
import type { Behaviour } from '../harness/behaviour.ts'
import { servesText } from '../serves-text.ts'

const PAGES = '/api-support'
const AT = '/api/api-support'

/** A handler that responds to GET with JSON. */
function responds(number: number, does: string, path: string, expected: unknown, init?: RequestInit): Behaviour {
  return {
    id: `api-support-${number}`,
    does,
    via: 'http',
    async run(site) {
      const response = await site.fetch(AT + path, init)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual(expected)
    },
  }
}

export const routes: readonly Behaviour[] = [
  {
    id: 'api-support-1',
    does: 'lets a handler forward a request to a page and to a file of its own site',
    via: 'http',
    async run(site) {
      expect(await site.text(`${AT}/forward?to=${PAGES}/office`)).toContain('Post office')
      expect(await site.text(`${AT}/forward?to=${PAGES}/prices.txt`)).toBe('price of a letter\n')
    },
  },
  responds(2, 'serves a catch-all handler', '/keys/12', { opens: 'a box' }),
  {
    id: 'api-support-4',
    does: 'serves a page beside the handlers',
    via: 'http',
    async run(site) {
      expect(await site.text(`${PAGES}/office`)).toContain('Post office')
    },
  },
  {
    id: 'api-support-5',
    does: 'responds with 404 where no handler is',
    via: 'http',
    async run(site) {
      expect((await site.fetch(`${AT}/no/such/handler/here`)).status).toBe(404)
    },
  },
  {
    id: 'api-support-6',
    does: 'serves a page whose path only begins with the letters of the folder of handlers',
    via: 'http',
    run: (site) => servesText(site, '/api-support', 'Not a handler'),
  },
  {
    id: 'api-support-8',
    does: 'serves the handler of a folder',
    via: 'http',
    async run(site) {
      expect(await site.text(AT)).toBe('the office is open')
    },
  },
  responds(30, 'gives a handler an empty query', '/query', {}),
  responds(31, 'gives a handler values of the query, and lists of those that repeat', '/query?a=x&b=y&a=z', {
    a: ['x', 'z'],
    b: 'y',
  }),
  responds(32, 'gives a handler an empty object without cookies', '/cookies', {}),
  responds(
    33,
    'gives a handler the cookies of the request',
    '/cookies',
    { size: 'small' },
    {
      headers: { cookie: 'size=small;' },
    },
  ),
  {
    id: 'api-support-34',
    does: 'renders a page for a POST request',
    via: 'http',
    async run(site) {
      const response = await site.fetch(`${PAGES}/form`, { method: 'POST' })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('A form')
    },
  },
  responds(
    35,
    'calls a handler for a POST request without a body',
    '/stamps?motif=owl',
    { printed: 'owl' },
    {
      method: 'POST',
    },
  ),
  responds(36, 'gives a handler the parameter of its path', '/parcels', { counter: 'parcels' }),
  responds(37, 'gives a handler the parameter of its path beside the query', '/parcels?size=3', {
    counter: 'parcels',
    size: '3',
  }),
  responds(38, 'prefers the parameter of the path to the same name in the query', '/parcels?counter=letters', {
    counter: 'parcels',
  }),
  responds(39, 'prefers a handler of a fixed name to one with a parameter', '/parcels/queue', { waiting: 4 }),
  responds(40, 'gives a handler both parameters of its path', '/parcels/p-7', { counter: 'parcels', parcel: 'p-7' }),
  {
    id: 'api-support-41',
    does: 'responds with 404 for a path whose last parameter is missing',
    via: 'http',
    async run(site) {
      expect((await site.fetch(`${AT}/stamps/birds/sheet`)).status).toBe(404)
    },
  },
  responds(42, 'gives a handler the parameters around a fixed segment', '/stamps/birds/sheet/2', {
    series: 'birds',
    number: '2',
  }),
]
