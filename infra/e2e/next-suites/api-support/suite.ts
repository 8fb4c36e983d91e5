// The suite of handlers below `pages/api`.

import { DEVELOPMENT, notApplicable, type Suite, upstream } from '../harness/suite.ts'
import { bodies } from './bodies.ts'
import { responses } from './responses.ts'
import { routes } from './routes.ts'

export const apiSupport: Suite = {
  name: 'api-support',
  source: upstream('test/integration/api-support/test/index.test.js'),
  tests: 54,
  rows: {
    48: DEVELOPMENT,
    49: DEVELOPMENT,
    50: DEVELOPMENT,
    51: DEVELOPMENT,
    52: DEVELOPMENT,
    53: notApplicable('the text of a failing build; the build refuses the field for every site'),
    54: notApplicable('the format of files of the build; its request is that of test 36'),
  },
  behaviours: [...routes, ...bodies, ...responses],
}
