// The suite of a rewrite whose destination has a name twice in its query.

import { expect } from 'vitest'
import { behavioursOf } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const { overHttp } = behavioursOf('rewrites-destination-query-array')

export const rewritesDestinationQueryArray: Suite = {
  name: 'rewrites-destination-query-array',
  source: upstream('test/integration/rewrites-destination-query-array/test/index.test.js'),
  tests: 1,
  rows: {},
  behaviours: [
    overHttp(1, 'has both values in the query', async (site) => {
      const { props } = await site.stateOf('/rewrites-destination-query-array/listed')
      expect(props).toEqual({ query: { item: ['1', '2'] } })
    }),
  ],
}
