// The suite of rendered documents: what it proves of built sites.

import { fails, notApplicable, OURS, type Suite } from '../harness/suite.ts'
import { heads } from './heads.ts'
import { pages } from './pages.ts'

const overlay = notApplicable('the error overlay of development')

export const clientNavigationRendering: Suite = {
  name: 'client-navigation-rendering',
  source: {
    repository: 'vercel/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/development/pages-dir/client-navigation/rendering.test.ts',
  },
  tests: 44,
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
    10: fails('<style jsx> is a plain <style>'),
    11: fails('the package styled-jsx, which comes with Next.js, is missing'),
    12: OURS,
    13: OURS,
    14: overlay,
    15: overlay,
    16: overlay,
    17: OURS,
    18: OURS,
    19: OURS,
    20: OURS,
    21: OURS,
    22: overlay,
    23: overlay,
    24: overlay,
    25: notApplicable('caches of the development server; of a built site the value is another'),
    26: OURS,
    27: OURS,
    28: OURS,
    29: OURS,
    30: OURS,
    31: OURS,
    32: OURS,
    33: overlay,
    34: OURS,
    35: OURS,
    36: OURS,
    37: OURS,
    38: OURS,
    39: OURS,
    40: OURS,
    41: OURS,
    42: OURS,
    43: OURS,
    44: OURS,
  },
  behaviours: [...pages, ...heads],
}
