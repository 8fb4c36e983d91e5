// The suite of middleware: rewrites, redirects, what it may use and what it sees of a request.

import { notApplicable, type Suite } from '../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'
import { inBrowser, overHttp, type SuitePlace } from './place.ts'

const MANIFEST = notApplicable('a file in the output of its own build')

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
    4: notApplicable('its development server'),
    5: notApplicable('its development server'),
    6: MANIFEST,
    7: MANIFEST,
    8: MANIFEST,
    9: notApplicable('a header of its own with a token of the build, which goes round middleware'),
  },
  behaviours: [...overHttp(http, PLACE), ...inBrowser(browser, PLACE)],
}
