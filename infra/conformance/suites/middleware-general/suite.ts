// The suite of middleware: rewrites, redirects, what it may use and what it sees of a request.

import { DEVELOPMENT, FILE, notApplicable, rowsOf, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'
import { inBrowser, overHttp, type SuitePlace } from './place.ts'

const PLACE: SuitePlace = { suite: 'middleware-general', configuration: 'middleware', end: '' }

export const middlewareGeneral: Suite = {
  name: 'middleware-general',
  source: upstream('test/e2e/middleware-general/test/index.test.ts'),
  tests: 43,
  rows: {
    4: DEVELOPMENT,
    5: DEVELOPMENT,
    ...rowsOf(FILE, 6, 7, 8),
    9: notApplicable('a header of its own with a token of the build, which goes round middleware'),
  },
  behaviours: [...overHttp(http, PLACE), ...inBrowser(browser, PLACE)],
}
