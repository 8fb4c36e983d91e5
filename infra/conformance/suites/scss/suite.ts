// The suites of stylesheets of Sass: a folder of files with one test each, numbered in the order of the alphabet of their
// folders.

import { DEVELOPMENT, SKIPPED, type Suite, upstream } from '../../harness/suite.ts'
import { builds } from './builds.ts'
import { http } from './http.ts'

export const scss: Suite = {
  name: 'scss',
  source: upstream('test/e2e/app-dir/scss'),
  tests: 45,
  rows: { 14: DEVELOPMENT, 15: SKIPPED, 19: SKIPPED, 24: DEVELOPMENT, 37: DEVELOPMENT, 38: DEVELOPMENT, 39: SKIPPED, 40: SKIPPED },
  behaviours: [...http, ...builds],
}
