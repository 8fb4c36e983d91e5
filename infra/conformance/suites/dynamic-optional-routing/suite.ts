// The suite of pages and API handlers with an optional catch-all parameter.

import { type Suite, upstream } from '../../harness/suite.ts'
import { builds } from './builds.ts'
import { http } from './http.ts'

export const dynamicOptionalRouting: Suite = {
  name: 'dynamic-optional-routing',
  source: upstream('test/integration/dynamic-optional-routing/test/index.test.js'),
  tests: 29,
  rows: {},
  behaviours: [...http, ...builds],
}
