// The suite of getInitialProps in documents.

import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/getinitialprops'

const addressed = (path: string) => ({ path, state: { pathname: `${AT}/stalls/[stall]`, asPath: AT + path } })

export const getInitialProps: Suite = {
  name: 'getinitialprops',
  source: upstream('test/integration/getinitialprops/test/index.test.js'),
  tests: 4,
  rows: {},
  behaviours: responses(
    'getinitialprops',
    {
      '1 marks the data of a page with getInitialProps': { path: '', text: ['"gip":true', 'Saturday'] },
      '2 does not mark the data of another page': { path: '/closed', without: '"gip"' },
      '3 has the address of a page with a parameter in the router': addressed('/stalls/7'),
      '4 has the address of the request in the router of a page behind a rewrite': addressed('/stalls/corner/7'),
    },
    { at: AT },
  ),
}
