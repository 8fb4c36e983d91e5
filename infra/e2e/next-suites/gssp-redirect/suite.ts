// The suite of redirects that data functions return.

import { notApplicable, type Suite } from '../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'

export const gsspRedirect: Suite = {
  name: 'gssp-redirect',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/gssp-redirect/test/index.test.js',
  },
  tests: 26,
  rows: {
    25: notApplicable('the output of the command'),
  },
  behaviours: [...http, ...browser],
}
