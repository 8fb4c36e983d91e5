// The suite of a base path.

import { FILE, notApplicable, SKIPPED, type Suite, upstream } from '../../harness/suite.ts'
import { browserBehaviours } from './browser.ts'
import { eventBehaviours } from './events.ts'
import { httpBehaviours } from './http.ts'

export const basepath: Suite = {
  name: 'basepath',
  source: upstream('test/e2e/basepath.test.ts'),
  tests: 59,
  rows: {
    1: notApplicable('not so in Next.js 16: it loads a document for /404'),
    6: notApplicable('AMP, which Next.js 16 does not have either'),
    7: FILE,
    26: SKIPPED,
    29: SKIPPED,
  },
  behaviours: [...httpBehaviours, ...browserBehaviours, ...eventBehaviours],
}
