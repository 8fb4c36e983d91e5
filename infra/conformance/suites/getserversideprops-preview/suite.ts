// The suite of preview mode for pages whose data is read for each request.

import { notApplicable, STEP, type Suite, upstream } from '../../harness/suite.ts'
import { previewBehaviours } from '../preview-behaviours.ts'

const name = 'getserversideprops-preview'

export const getServerSidePropsPreview: Suite = {
  name,
  source: upstream('test/integration/getserversideprops-preview/test/index.test.js'),
  tests: 16,
  rows: { 1: STEP, 2: STEP, 10: notApplicable('the start of the development server'), 11: notApplicable('the cookies of test 5, in development'), 13: STEP },
  behaviours: previewBehaviours(name, { published: [3, 4], tooLarge: 9, enter: 5, page: 6, data: 7, leave: 8, stale: 12, inBrowser: [14, 15, 16] }),
}
