// The suite of pages and API handlers with an optional catch-all parameter.

import { fails, OURS, type Suite } from '../harness/suite.ts'
import { builds } from './builds.ts'
import { http } from './http.ts'

export const dynamicOptionalRouting: Suite = {
  name: 'dynamic-optional-routing',
  source: {
    repository: 'vercel/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/dynamic-optional-routing/test/index.test.js',
  },
  tests: 29,
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
    18: fails('a path that a page does not list is 404, also where another page has it'),
    19: OURS,
    20: OURS,
    21: OURS,
    22: OURS,
    23: OURS,
    24: OURS,
    25: OURS,
    26: OURS,
    27: OURS,
    28: OURS,
    29: OURS,
  },
  behaviours: [...http, ...builds],
}
