// The suite of rewrites of middleware.

import { SKIPPED, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'

export const middlewareRewrites: Suite = {
  name: 'middleware-rewrites',
  source: upstream('test/e2e/middleware-rewrites/test/index.test.ts'),
  tests: 45,
  rows: { 10: SKIPPED },
  behaviours: [...http, ...browser],
}
