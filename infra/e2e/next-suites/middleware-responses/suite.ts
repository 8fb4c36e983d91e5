// The suite of responses and response headers of middleware.

import { expect } from 'vitest'
import type { Behaviour, HttpSite, Run } from '../harness/behaviour.ts'
import type { Suite } from '../harness/suite.ts'

const AT = '/middleware-responses'

function overHttp(number: number, does: string, run: Run<HttpSite>): Behaviour {
  return { id: `middleware-responses-${number}`, does, via: 'http', configuration: 'middleware', run }
}

export const middlewareResponses: Suite = {
  name: 'middleware-responses',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/e2e/middleware-responses/test/index.test.ts',
  },
  tests: 7,
  rows: {},
  behaviours: [
    overHttp(1, 'sends each of two cookies', async (site) => {
      const { headers } = await site.fetch(`${AT}/two-cookies`)
      expect(headers.getSetCookie()).toEqual(['rose=red', 'lily=white'])
    }),
    overHttp(2, 'sends a body that it writes in parts', async (site) => {
      const response = await site.fetch(`${AT}/in-parts`)
      expect([response.status, await response.text()]).toEqual([200, 'one two three'])
    }),
    overHttp(3, 'sends a text', async (site) => {
      const response = await site.fetch(`${AT}/text`)
      expect([response.status, await response.json()]).toEqual([200, { of: 'middleware' }])
    }),
    overHttp(4, 'refuses with an empty response', async (site) => {
      const response = await site.fetch(`${AT}/closed`)
      expect([response.status, await response.text()]).toEqual([401, ''])
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="garden"')
    }),
    overHttp(5, 'adds a header to the response of a page', async (site) => {
      const { headers } = await site.fetch(`${AT}/header`)
      expect([headers.get('x-first'), headers.get('x-second')]).toEqual(['yes', null])
    }),
    overHttp(6, 'adds two headers', async (site) => {
      const { headers } = await site.fetch(`${AT}/header?second`)
      expect([headers.get('x-first'), headers.get('x-second')]).toEqual(['yes', 'yes'])
    }),
    overHttp(7, 'appends headers and a cookie', async (site) => {
      const { headers } = await site.fetch(`${AT}?second&cookie`)
      expect([headers.get('x-second'), headers.get('x-appended')]).toEqual(['yes', 'yes'])
      expect(headers.getSetCookie()).toEqual(['lily=white'])
    }),
  ],
}
