// The suite of redirects, rewrites and headers.

import { fails, notApplicable, type Suite, upstream } from '../harness/suite.ts'
import { browser } from './browser.ts'
import { conditionBehaviours } from './conditions.ts'
import { headerBehaviours } from './headers.ts'
import { oneKindBehaviours } from './one-kind.ts'
import { otherHostBehaviours } from './other-hosts.ts'
import { redirectBehaviours } from './redirects.ts'
import { rewriteBehaviours } from './rewrites.ts'

const STATIC_QUERY = 'pages that are rendered once do not know the query that a rewrite adds'

export const customRoutes: Suite = {
  name: 'custom-routes',
  source: upstream('test/integration/custom-routes/test/index.test.js'),
  tests: 104,
  rows: {
    1: fails('experimental.caseSensitiveRoutes is ignored'),
    2: fails('the gateway passes no WebSocket to another host'),
    10: fails(STATIC_QUERY),
    13: fails(STATIC_QUERY),
    14: fails(STATIC_QUERY),
    32: fails('a catch-all with one segment is decoded text in the query, no list'),
    44: fails(STATIC_QUERY),
    48: fails('a rewrite leads to no file of the build'),
    97: notApplicable('the format of a file of the build'),
    98: notApplicable('what next build prints with --debug'),
    100: notApplicable('a warning of static export'),
    104: notApplicable('a warning of static export'),
  },
  behaviours: [
    ...redirectBehaviours,
    ...headerBehaviours,
    ...conditionBehaviours,
    ...rewriteBehaviours,
    ...oneKindBehaviours,
    ...otherHostBehaviours,
    ...browser,
  ],
}
