// The suite of props of the app next to those of a page.

import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const props = { soil: 'of the page', water: 'of the app' }

export const gsspPagePropsMerge: Suite = {
  name: 'gssp-page-props-merge',
  source: upstream('test/integration/gssp-pageProps-merge/test/index.test.js'),
  tests: 2,
  rows: {},
  behaviours: responses(
    'gssp-page-props-merge',
    {
      '1 prefers the props of getServerSideProps to those of the app': { path: '/each-time', props },
      '2 prefers the props of getStaticProps to those of the app': { path: '/made', props },
    },
    { at: '/gssp-page-props-merge', configuration: 'app' },
  ),
}
