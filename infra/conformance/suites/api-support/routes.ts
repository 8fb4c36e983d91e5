// Which handler a request reaches, and with which parameters.

import { responses } from '../../harness/responses.ts'

const PAGES = '/api-support'
const AT = '/api/api-support'

const handlers = responses(
  'api-support',
  {
    '1 lets a handler forward a request to a page and to a file of its own site': {
      requests: [
        { path: `/forward?to=${PAGES}/office`, text: 'Post office' },
        { path: `/forward?to=${PAGES}/prices.txt`, body: 'price of a letter\n' },
      ],
    },
    '2 serves a catch-all handler': { path: '/keys/12', status: 200, json: { opens: 'a box' } },
    '5 responds with 404 where no handler is': { path: '/no/such/handler/here', status: 404 },
    '8 serves the handler of a folder': { path: '', body: 'the office is open' },
    '30 gives a handler an empty query': { path: '/query', status: 200, json: {} },
    '31 gives a handler values of the query, and lists of those that repeat': { path: '/query?a=x&b=y&a=z', status: 200, json: { a: ['x', 'z'], b: 'y' } },
    '32 gives a handler an empty object without cookies': { path: '/cookies', status: 200, json: {} },
    '33 gives a handler the cookies of the request': {
      path: '/cookies',
      request: { headers: { cookie: 'size=small;' } },
      status: 200,
      json: { size: 'small' },
    },
    '35 calls a handler for a POST request without a body': { path: '/stamps?motif=owl', request: { method: 'POST' }, status: 200, json: { printed: 'owl' } },
    '36 gives a handler the parameter of its path': { path: '/parcels', status: 200, json: { counter: 'parcels' } },
    '37 gives a handler the parameter of its path beside the query': { path: '/parcels?size=3', status: 200, json: { counter: 'parcels', size: '3' } },
    '38 prefers the parameter of the path to the same name in the query': { path: '/parcels?counter=letters', status: 200, json: { counter: 'parcels' } },
    '39 prefers a handler of a fixed name to one with a parameter': { path: '/parcels/queue', status: 200, json: { waiting: 4 } },
    '40 gives a handler both parameters of its path': { path: '/parcels/p-7', status: 200, json: { counter: 'parcels', parcel: 'p-7' } },
    '41 responds with 404 for a path whose last parameter is missing': { path: '/stamps/birds/sheet', status: 404 },
    '42 gives a handler the parameters around a fixed segment': { path: '/stamps/birds/sheet/2', status: 200, json: { series: 'birds', number: '2' } },
  },
  { at: AT },
)

const pages = responses(
  'api-support',
  {
    '4 serves a page beside the handlers': { path: '/office', text: 'Post office' },
    '6 serves a page whose path only begins with the letters of the folder of handlers': { path: '', status: 200, text: 'Not a handler' },
    '34 renders a page for a POST request': { path: '/form', request: { method: 'POST' }, status: 200, text: 'A form' },
  },
  { at: PAGES },
)

export const routes = [...handlers, ...pages]
