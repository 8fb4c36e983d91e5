// The suite of pages with parameters in their path.

import { FILE, notApplicable, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'

export const dynamicRouting: Suite = {
  name: 'dynamic-routing',
  source: upstream('test/integration/dynamic-routing/test/index.test.js'),
  tests: 79,
  rows: {
    1: notApplicable('reads the cache of data inside the router'),
    2: notApplicable('the socket of the development server; skipped upstream, too'),
    18: notApplicable('warnings of the development build'),
    19: notApplicable('warnings of the development build'),
    74: notApplicable('preloads of a file of inner format'),
    75: notApplicable('adds a page while the development server of Next.js runs'),
    76: notApplicable('the error overlay of development'),
    77: notApplicable('edits a page while the development server of Next.js runs'),
    78: FILE,
    79: FILE,
  },
  behaviours: [...http, ...browser],
}
