// The suite of a screen of errors for pages that fail.

import { responses } from '../../harness/responses.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const WARNING = notApplicable('warnings of its development server')

export const customError: Suite = {
  name: 'custom-error',
  source: upstream('test/integration/custom-error/test/index.test.js'),
  tests: 5,
  rows: { 1: WARNING, 2: WARNING, 3: WARNING, 4: notApplicable('the list of pages that its build prints') },
  behaviours: responses('custom-error', {
    '5 shows the screen for a page whose getInitialProps fails': { configuration: 'screens', path: '/custom-error', status: 500, text: /Trouble of kind.*500/ },
  }),
}
