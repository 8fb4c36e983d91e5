// The body of a request, as a handler receives it.

import { responses } from '../../harness/responses.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** As JSON longer than 1 MB, the usual limit. */
const LONG = 'l'.repeat(1_200_000)

const post = (body: string | null, type = JSON_TYPE) => ({ method: 'POST', headers: { 'content-type': type }, body })

export const bodies = responses(
  'api-support',
  {
    '12 parses JSON': { path: '/echo', request: post('[{"to":"Ines"}]'), status: 200, json: [{ to: 'Ines' }] },
    '13 makes an object of JSON without content': { path: '/echo', request: post(null), status: 200, json: {} },
    '18 refuses JSON with a syntax error': { path: '/echo', request: post('{"to":Ines"}'), status: 400 },
    '19 refuses a body longer than 1 MB': { path: '/echo', request: post(JSON.stringify(LONG)), status: 413 },
    '20 accepts a longer body where the handler sets a larger limit': {
      path: '/echo-large',
      request: post(JSON.stringify(LONG)),
      status: 200,
      json: { letters: LONG.length },
    },
    '22 parses the fields of a form, whatever the case of its type': {
      path: '/echo',
      request: post('to=Ines&by=air%20mail', 'application/x-www-Form-urlencoded'),
      status: 200,
      json: { to: 'Ines', by: 'air mail' },
    },
    '23 leaves the body to a handler that turns the parser off': {
      path: '/echo-raw',
      request: post('[{"to":"Ines"}]'),
      status: 200,
      json: { isParsed: false, text: '[{"to":"Ines"}]' },
    },
    '24 parses the body for a handler that turns the parser on': { path: '/echo-parsed', request: post('["Ines"]'), status: 200, json: { first: 'Ines' } },
  },
  { at: '/api/api-support' },
)
