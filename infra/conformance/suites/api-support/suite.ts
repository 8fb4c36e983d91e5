// The suite of handlers below `pages/api`.

import { DEVELOPMENT, notApplicable, rowsOf, type Suite, upstream } from '../../harness/suite.ts'
import { bodies } from './bodies.ts'
import { responses } from './responses.ts'
import { routes } from './routes.ts'

export const apiSupport: Suite = {
  name: 'api-support',
  source: upstream('test/integration/api-support/test/index.test.js'),
  tests: 54,
  rows: {
    ...rowsOf(DEVELOPMENT, 48, 49, 50, 51, 52),
    53: notApplicable('the text of a failing build; the build refuses the field for every site'),
    54: notApplicable('the format of files of the build; its request is that of test 36'),
  },
  behaviours: [...routes, ...bodies, ...responses],
}
