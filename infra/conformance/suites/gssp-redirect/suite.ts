// The suite of redirects that data functions return.

import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'

export const gsspRedirect: Suite = {
  name: 'gssp-redirect',
  source: upstream('test/integration/gssp-redirect/test/index.test.js'),
  tests: 26,
  rows: { 25: notApplicable('the output of the command') },
  behaviours: [...http, ...browser],
}
