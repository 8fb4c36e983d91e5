// The suite of a page whose file gets another name.

import { notApplicable, type Suite, upstream } from '../harness/suite.ts'

export const dynamicRouteRename: Suite = {
  name: 'dynamic-route-rename',
  source: upstream('test/integration/dynamic-route-rename/test/index.test.js'),
  tests: 1,
  rows: { 1: notApplicable('the development server') },
  behaviours: [],
}
