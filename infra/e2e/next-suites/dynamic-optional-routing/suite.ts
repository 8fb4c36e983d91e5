// The suite of pages and API handlers with an optional catch-all parameter.

import { fails, type Suite, upstream } from '../harness/suite.ts'
import { builds } from './builds.ts'
import { http } from './http.ts'

export const dynamicOptionalRouting: Suite = {
  name: 'dynamic-optional-routing',
  source: upstream('test/integration/dynamic-optional-routing/test/index.test.js'),
  tests: 29,
  rows: {
    18: fails('a path that a page does not list is 404, also where another page has it'),
  },
  behaviours: [...http, ...builds],
}
