// The suite of a site whose only page is in a folder called index.

import { type ResponseRow, type ResponseRows, responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

/** By the path: its status, and a text of the response. */
const PATHS = [
  ['/', 404, '</html>'],
  ['/index', 200, '<h1>Index</h1>'],
  ['/index/index', 404, '</html>'],
  ['/index/?odd%60%3C%25%22%27%7B%24%2A%25%5C', 200, '<h1>Index</h1>'],
  ['/index?file%3A%5C', 200, '<h1>Index</h1>'],
] as const

const rows: ResponseRows = Object.fromEntries(
  PATHS.map(([path, status, text], index): [string, ResponseRow] => [
    `${index + 1} responds ${status} to ${path}`,
    { path, request: { redirect: 'follow' }, status, text },
  ]),
)

export const routeIndex: Suite = {
  name: 'route-index',
  source: upstream('test/integration/route-index/test/index.test.js'),
  tests: 5,
  rows: {},
  behaviours: responses('route-index', rows, { configuration: 'only-index' }),
}
