// The suite of rendered documents: what it proves of built sites.

import { notApplicable, type Suite, upstream } from '../harness/suite.ts'
import { heads } from './heads.ts'
import { pages } from './pages.ts'

const overlay = notApplicable('the error overlay of development')

export const clientNavigationRendering: Suite = {
  name: 'client-navigation-rendering',
  source: upstream('test/development/pages-dir/client-navigation/rendering.test.ts'),
  tests: 44,
  rows: {
    14: overlay,
    15: overlay,
    16: overlay,
    22: overlay,
    23: overlay,
    24: overlay,
    25: notApplicable('caches of the development server; of a built site the value is another'),
    33: overlay,
  },
  behaviours: [...pages, ...heads],
}
