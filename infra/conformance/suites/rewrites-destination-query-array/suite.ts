// The suite of a rewrite whose destination has a name twice in its query.

import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

export const rewritesDestinationQueryArray: Suite = {
  name: 'rewrites-destination-query-array',
  source: upstream('test/integration/rewrites-destination-query-array/test/index.test.js'),
  tests: 1,
  rows: {},
  behaviours: responses('rewrites-destination-query-array', {
    '1 has both values in the query': { path: '/rewrites-destination-query-array/listed', props: { query: { item: ['1', '2'] } } },
  }),
}
