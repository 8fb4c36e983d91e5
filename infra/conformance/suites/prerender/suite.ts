// The suite of prerendered pages.

import { DEVELOPMENT, FILE, notApplicable, rowsOf, SKIPPED, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from './browser.ts'
import { logs } from './logs.ts'
import { pages } from './pages.ts'
import { renewal } from './renewal.ts'

export const prerender: Suite = {
  name: 'prerender',
  source: upstream('test/e2e/prerender.test.ts'),
  // A function called test, of an object in test 18 and in test 31, is none.
  tests: 96,
  rows: {
    31: SKIPPED,
    ...rowsOf(DEVELOPMENT, 46, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63),
    ...rowsOf(FILE, 67, 68, 69, 84),
    83: notApplicable('what the command of the build prints'),
  },
  behaviours: [...pages, ...renewal, ...logs, ...browser],
}
