// The suite of a page whose file gets another name.

import { DEVELOPMENT, type Suite, upstream } from '../../harness/suite.ts'

export const dynamicRouteRename: Suite = {
  name: 'dynamic-route-rename',
  source: upstream('test/integration/dynamic-route-rename/test/index.test.js'),
  tests: 1,
  rows: { 1: DEVELOPMENT },
  behaviours: [],
}
