// The suite of redirects that data functions return.

import { notApplicable, OURS, type Suite } from '../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'

export const gsspRedirect: Suite = {
  name: 'gssp-redirect',
  source: {
    repository: 'vercel/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/gssp-redirect/test/index.test.js',
  },
  tests: 26,
  rows: {
    1: OURS,
    2: OURS,
    3: OURS,
    4: OURS,
    5: OURS,
    6: OURS,
    7: OURS,
    8: OURS,
    9: OURS,
    10: OURS,
    11: OURS,
    12: OURS,
    13: OURS,
    14: OURS,
    15: OURS,
    16: OURS,
    17: OURS,
    18: OURS,
    19: OURS,
    20: OURS,
    21: OURS,
    22: OURS,
    23: OURS,
    24: OURS,
    25: notApplicable('the output of the command'),
    26: OURS,
  },
  behaviours: [...http, ...browser],
}
