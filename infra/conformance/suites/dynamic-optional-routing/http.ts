// Pages and API handlers with an optional catch-all parameter, over HTTP.

import { type ResponseRow, responses } from '../../harness/responses.ts'

const NAME = 'dynamic-optional-routing'
const AT = `/${NAME}`
const FOLLOWED = { redirect: 'follow' } as const

/** What a page or a handler got for a path: nothing where the path has no segment. */
const segments = (found: readonly string[]) => (found.length > 0 ? { path: found } : {})

/** A page of the site; where the path has a slash at its end, the redirect is followed. */
const page = (path: string, ...found: string[]): ResponseRow => ({ ...{ path, request: FOLLOWED, status: 200 }, props: segments(found) })

const handler = (path: string, ...found: string[]): ResponseRow => ({ ...{ path: `/api${AT}${path}`, request: FOLLOWED, status: 200 }, json: segments(found) })

const ofRoot = responses(
  NAME,
  {
    '1 gives a page for the whole site two segments': page('/one/two', 'one', 'two'),
    '2 gives a page for the whole site one segment': page('/one', 'one'),
    '3 serves the root of the site by a page for the whole site': page('/'),
    '18 leaves a path that a page does not list to the page for the whole site': page(`${AT}/closed/two`, ...['dynamic-optional-routing', 'closed', 'two']),
  },
  { configuration: 'root' },
)

const below = responses(NAME, {
  '4 gives a page below a folder two segments': page(`${AT}/nested/one/two`, 'one', 'two'),
  '5 gives a page below a folder one segment': page(`${AT}/nested/one`, 'one'),
  '6 serves the path of the folder without a parameter': page(`${AT}/nested`),
  '7 serves the path of the folder with a slash at its end': page(`${AT}/nested/`),
  '8 gives an API handler two segments': handler('/one/two', 'one', 'two'),
  '9 gives an API handler one segment': handler('/one', 'one'),
  '10 calls an API handler at the path of its folder': handler(''),
  '11 calls an API handler at the path of its folder with a slash at its end': handler('/'),
  '12 serves a listed path without segments': page(`${AT}/known`),
  '13 serves a listed path without segments, with a slash at its end': page(`${AT}/known/`),
  '14 serves a listed path of one segment': page(`${AT}/known/one`, 'one'),
  '15 serves a listed path of one segment, with a slash at its end': page(`${AT}/known/one/`, 'one'),
  '16 serves a listed path of two segments': page(`${AT}/known/one/two`, 'one', 'two'),
  '17 serves a listed path of two segments, with a slash at its end': page(`${AT}/known/one/two/`, 'one', 'two'),
  '19 serves the path of the folder where the listed parameter is undefined': page(`${AT}/undefined`),
  '20 serves the path of the folder where the listed parameter is false': page(`${AT}/false`),
  '21 serves the path of the folder where the listed parameter is null': page(`${AT}/null`),
  '22 serves a listed path without segments, by a page with a fallback': { path: `${AT}/made`, props: { params: {}, isFallback: false } },
  '23 serves a listed path of two segments, by a page with a fallback': {
    path: `${AT}/made/one/two`,
    props: { params: { path: ['one', 'two'] }, isFallback: false },
  },
  '24 serves a path that is not listed, without its data at first, by a page with a fallback': { path: `${AT}/made/other`, props: { isFallback: true } },
})

export const http = [...ofRoot, ...below]
