// The suite of a folder of the build with a slash at its end.

import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

export const trailingSlashDist: Suite = {
  name: 'trailing-slash-dist',
  source: upstream('test/integration/trailing-slash-dist/test/index.test.js'),
  tests: 1,
  rows: { 1: notApplicable('the development server, and the folder of its build') },
  behaviours: [],
}
