// The suite of prerendered pages.

import { DEVELOPMENT, FILE, notApplicable, SKIPPED, type Suite, upstream } from '../harness/suite.ts'
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
    46: DEVELOPMENT,
    48: DEVELOPMENT,
    49: DEVELOPMENT,
    50: DEVELOPMENT,
    51: DEVELOPMENT,
    52: DEVELOPMENT,
    53: DEVELOPMENT,
    54: DEVELOPMENT,
    55: DEVELOPMENT,
    56: DEVELOPMENT,
    57: DEVELOPMENT,
    58: DEVELOPMENT,
    59: DEVELOPMENT,
    60: DEVELOPMENT,
    61: DEVELOPMENT,
    62: DEVELOPMENT,
    63: DEVELOPMENT,
    67: FILE,
    68: FILE,
    69: FILE,
    83: notApplicable('what the command of the build prints'),
    84: FILE,
  },
  behaviours: [...pages, ...renewal, ...logs, ...browser],
}
