// The suite of handlers below `pages/api`.

import { notApplicable, type Suite } from '../harness/suite.ts'
import { bodies } from './bodies.ts'
import { responses } from './responses.ts'
import { routes } from './routes.ts'

const developmentServer = notApplicable('the development server of Next.js')

export const apiSupport: Suite = {
  name: 'api-support',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/api-support/test/index.test.js',
  },
  tests: 54,
  rows: {
    48: developmentServer,
    49: developmentServer,
    50: developmentServer,
    51: developmentServer,
    52: developmentServer,
    53: notApplicable('the text of a failing build; the build refuses the field for every site'),
    54: notApplicable('the format of files of the build; its request is that of test 36'),
  },
  behaviours: [...routes, ...bodies, ...responses],
}
