// The suite of responses and response headers of middleware.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const NAME = 'middleware-responses'
const AT = `/${NAME}`
const configuration = 'middleware'

const { overHttp } = behavioursOf(NAME)

export const middlewareResponses: Suite = {
  name: NAME,
  source: upstream('test/e2e/middleware-responses/test/index.test.ts'),
  tests: 7,
  rows: {},
  behaviours: [
    ...responses(
      NAME,
      {
        '2 sends a body that it writes in parts': { path: '/in-parts', status: 200, body: 'one two three' },
        '3 sends a text': { path: '/text', status: 200, json: { of: 'middleware' } },
        '4 refuses with an empty response': { path: '/closed', status: 401, body: '', headers: { 'www-authenticate': 'Basic realm="garden"' } },
        '5 adds a header to the response of a page': { path: '/header', headers: { 'x-first': 'yes', 'x-second': null } },
        '6 adds two headers': { path: '/header?second', headers: { 'x-first': 'yes', 'x-second': 'yes' } },
      },
      { at: AT, configuration },
    ),
    overHttp(
      1,
      'sends each of two cookies',
      async (site) => {
        const { headers } = await site.fetch(`${AT}/two-cookies`)
        expect(headers.getSetCookie()).toEqual(['rose=red', 'lily=white'])
      },
      { configuration },
    ),
    overHttp(
      7,
      'appends headers and a cookie',
      async (site) => {
        const { headers } = await site.fetch(`${AT}?second&cookie`)
        expect([headers.get('x-second'), headers.get('x-appended')]).toEqual(['yes', 'yes'])
        expect(headers.getSetCookie()).toEqual(['lily=white'])
      },
      { configuration },
    ),
  ],
}
