// Pages with parameters in their path, over HTTP.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type ResponseRow, responses } from '../../harness/responses.ts'

const NAME = 'dynamic-routing'
const AT = `/${NAME}`

/** The props of a catch-all page. */
const segments = (path: string, ...found: string[]): ResponseRow => ({ path: `/archive/by/date${path}`, props: { path: found } })

/** The data of a catch-all page. */
const data = (path: string, ...found: string[]): ResponseRow => ({ data: `/issues/of${path}`, params: { path: found } })

const file = (path: string, body: string): ResponseRow => ({ path, status: 200, body })

/** A file of the folder `static` of the site, which is not below `AT`. */
const staticFile = (name: string, body: string): ResponseRow => ({
  ...file(`/static${AT}${name}`, body),
  differs: { reason: 'public/static is the place of these files: the build names the old folder and this remedy', path: `/static${AT}${name}`, status: 404 },
})

const below = responses(
  NAME,
  {
    '3 serves a page whose parameter has 250 characters': { path: `/rooms/${'Ab3'.repeat(84)}`, status: 200, text: `${AT}/rooms/[room-name]` },
    '8 gives a page without parameters an empty query': { path: '', query: {} },
    '9 serves the index page beside a page with a parameter': { path: '', text: '<h1>Library</h1>' },
    '10 serves a page of a fixed name instead of the page with a parameter beside it': { path: '/opening-hours', text: '<h1>Opening hours</h1>' },
    '11 gives a page the parameter of its path': { path: '/maps', state: { pathname: `${AT}/[shelf]`, asPath: `${AT}/maps`, query: { shelf: 'maps' } } },
    '12 prefers a fixed segment to a parameter below a parameter': { path: '/maps/loans', text: /<h1>Loans of (<!-- -->)?maps<\/h1>/ },
    '13 gives a page both parameters of its path': { path: '/maps/alps', query: { shelf: 'maps', book: 'alps' } },
    '14 has no page for a path whose last parameter is missing': { path: '/branches/hill/street', status: 404 },
    '15 gives a page the parameters around a fixed segment': { path: '/branches/hill/street/12', query: { town: 'hill', number: '12' } },
    '31 gives getInitialProps the parameter of the path on the server': { path: '/guests/anna', props: { guest: 'anna' } },
    '33 has no page for the folder of a catch-all page': { path: '/archive/by/date', status: 404 },
    '34 gives a catch-all page one segment of its path': segments('/1890', '1890'),
    '35 gives a catch-all page two segments of its path': segments('/1890/may', '1890', 'may'),
    '37 gives a catch-all page an encoded slash at the beginning of a segment of its path': segments('/1890/%2Fmay', ...['1890', '/may']),
    '38 gives a catch-all page an encoded slash at the end of a segment of its path': segments('/1890%2F/may', ...['1890/', 'may']),
    '39 gives a catch-all page an encoded slash within a segment of its path': segments('/1890/ma%2Fy', ...['1890', 'ma/y']),
    '36 gives a catch-all page the segments without the slash at the end of the path': {
      path: '/archive/by/date/1890/may/',
      request: { redirect: 'follow' },
      status: 200,
      url: `${AT}/archive/by/date/1890/may`,
    },
    '44 has the data of getStaticProps for one segment, of a page made on request': data('/any/1890', '1890'),
    '45 has the data of getStaticProps for two segments, of a page made on request': data('/any/1890/may', ...['1890', 'may']),
    '46 has the data of getStaticProps for one segment, of a page in a folder of its own': data('/nested/1890', '1890'),
    '47 has the data of getStaticProps for two segments, of a page in a folder of its own': data('/nested/1890/may', ...['1890', 'may']),
    '48 has the data of getStaticProps for one segment that getStaticPaths does not name': data('/known/1891', '1891'),
    '49 has the data of getStaticProps for two segments that getStaticPaths does not name': data('/known/1891/may', ...['1891', 'may']),
    '50 has the data of getStaticProps for one segment that getStaticPaths names': data('/known/1890', '1890'),
    '51 has the data of getStaticProps for two segments that getStaticPaths names': data('/known/1890/june', ...['1890', 'june']),
    '64 serves a public file instead of the page with a parameter of the same path': { path: '/plan.txt', body: 'the plan of the building\n' },
    '65 serves a public file by a path with a space, which the client encodes': file('/floor one.txt', 'a space\n'),
    '66 serves a public file by a path with a plus sign': file('/floor+one.txt', 'a plus sign\n'),
    '67 serves a public file by a path with an encoded space': file('/floor%20one.txt', 'a space\n'),
    '68 serves a public file by a path with an encoded percent sign': file('/floor%2520one.txt', 'a percent sign\n'),
    '73 refuses a path whose percent encoding is incomplete': { path: '/%', status: 400 },
  },
  { at: AT },
)

const others = responses(NAME, {
  '16 serves a page with a parameter at /api': {
    configuration: 'root',
    path: '/api',
    status: 200,
    text: '&quot;path&quot;:[&quot;api&quot;]',
    differs: {
      reason: 'addresses at /api are those of API handlers, and another service runs them: no page hides a missing handler',
      path: '/api',
      status: 404,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    },
  },
  '69 serves a file of the folder static by a path with a space, which the client encodes': staticFile('/floor one.txt', 'a space\n'),
  '70 serves a file of the folder static by a path with a plus sign': staticFile('/floor+one.txt', 'a plus sign\n'),
  '71 serves a file of the folder static by a path with an encoded space': staticFile('/floor%20one.txt', 'a space\n'),
  '72 serves a file of the folder static by a path with an encoded percent sign': staticFile('/floor%2520one.txt', 'a percent sign\n'),
})

export const http = [
  ...below,
  ...others,
  behavioursOf(NAME).overHttp(60, 'has no name of a parameter in the place of its value in the HTML', async (site) => {
    const { query } = await site.stateOf(`${AT}/guides/garden`)
    expect(Object.values(query)).not.toContain('[guide]')
  }),
]
