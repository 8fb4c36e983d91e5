// The suite of middleware: rewrites, redirects, what it may use and what it sees of a request.

import { DEVELOPMENT, FILE, notApplicable, type Suite } from '../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'
import { inBrowser, overHttp, type SuitePlace } from './place.ts'

const PLACE: SuitePlace = { suite: 'middleware-general', configuration: 'middleware', end: '' }

export const middlewareGeneral: Suite = {
  name: 'middleware-general',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/e2e/middleware-general/test/index.test.ts',
  },
  tests: 43,
  rows: {
    4: DEVELOPMENT,
    5: DEVELOPMENT,
    6: FILE,
    7: FILE,
    8: FILE,
    9: notApplicable('a header of its own with a token of the build, which goes round middleware'),
  },
  behaviours: [...overHttp(http, PLACE), ...inBrowser(browser, PLACE)],
}
