// The suite of redirects, rewrites and headers.

import { FILE, notApplicable, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from './browser.ts'
import { conditionBehaviours } from './conditions.ts'
import { headerBehaviours } from './headers.ts'
import { oneKindBehaviours } from './one-kind.ts'
import { otherHostBehaviours } from './other-hosts.ts'
import { redirectBehaviours } from './redirects.ts'
import { rewriteBehaviours } from './rewrites.ts'

export const customRoutes: Suite = {
  name: 'custom-routes',
  source: upstream('test/integration/custom-routes/test/index.test.js'),
  tests: 104,
  rows: {
    97: FILE,
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
