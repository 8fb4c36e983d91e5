// The suite of prerendered pages.

import { notApplicable, type Suite, upstream } from '../harness/suite.ts'
import { browser } from './browser.ts'
import { logs } from './logs.ts'
import { pages } from './pages.ts'
import { renewal } from './renewal.ts'

const development = notApplicable('the development server')
const files = notApplicable('the format of files of the build')

export const prerender: Suite = {
  name: 'prerender',
  source: upstream('test/e2e/prerender.test.ts'),
  // A function called test, of an object in test 18 and in test 31, is none.
  tests: 96,
  rows: {
    31: notApplicable('the file skips it'),
    46: development,
    48: development,
    49: development,
    50: development,
    51: development,
    52: development,
    53: development,
    54: development,
    55: development,
    56: development,
    57: development,
    58: development,
    59: development,
    60: development,
    61: development,
    62: development,
    63: development,
    67: files,
    68: files,
    69: files,
    83: notApplicable('what the command of the build prints'),
    84: files,
  },
  behaviours: [...pages, ...renewal, ...logs, ...browser],
}
