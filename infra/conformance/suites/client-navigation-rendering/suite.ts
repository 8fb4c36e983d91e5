// The suite of rendered documents: what it proves of built sites.

import { notApplicable, rowsOf, type Suite, upstream } from '../../harness/suite.ts'
import { heads } from './heads.ts'
import { pages } from './pages.ts'

const overlay = notApplicable('the error overlay of development')

export const clientNavigationRendering: Suite = {
  name: 'client-navigation-rendering',
  source: upstream('test/development/pages-dir/client-navigation/rendering.test.ts'),
  tests: 44,
  rows: {
    ...rowsOf(overlay, 14, 15, 16, 22, 23, 24, 33),
    25: notApplicable('caches of the development server; of a built site the value is another'),
  },
  behaviours: [...pages, ...heads],
}
