// The suite of pages and handlers called index.

import { type ResponseRow, type ResponseRows, responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/route-indexes'
const API = `/api${AT}`

/** Paths in the order of the tests, and a text of each that has a page or a handler. */
const PATHS: readonly (readonly [path: string, text?: string])[] = [
  ['/', '</html>'],
  ['/index'],
  ['/index/index'],
  [`${AT}/nested`],
  [`${AT}/nested/index`, 'Nested index'],
  [`${AT}/nested/index/index`],
  [`${AT}/sub`, 'All of sub'],
  [`${AT}/sub/index`, 'One of sub'],
  [`${AT}/sub/index/index`],
  [`${AT}/sub/other`, 'One of sub'],
  [`${AT}/sub/other/index`],
  [API, 'all of sub'],
  [`${API}/index`, 'one of sub'],
  [`${API}/index/index`],
  [`${API}/other`, 'one of sub'],
  [`${API}/other/index`],
]

const rows: ResponseRows = Object.fromEntries(
  PATHS.map(([path, text], index): [string, ResponseRow] => [
    `${index + 1} ${text ? 'serves' : 'has nothing at'} ${path}`,
    text ? { path, status: 200, text } : { path, status: 404 },
  ]),
)

export const routeIndexes: Suite = {
  name: 'route-indexes',
  source: upstream('test/integration/route-indexes/test/index.test.js'),
  tests: 16,
  rows: {},
  behaviours: responses('route-indexes', rows),
}
