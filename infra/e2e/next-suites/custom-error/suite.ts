// The suite of a screen of errors for pages that fail.

import { expect } from 'vitest'
import { behavioursOf } from '../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../harness/suite.ts'

const { overHttp } = behavioursOf('custom-error')
const WARNING = notApplicable('warnings of its development server')

export const customError: Suite = {
  name: 'custom-error',
  source: upstream('test/integration/custom-error/test/index.test.js'),
  tests: 5,
  rows: { 1: WARNING, 2: WARNING, 3: WARNING, 4: notApplicable('the list of pages that its build prints') },
  behaviours: [
    overHttp(
      5,
      'shows the screen for a page whose getInitialProps fails',
      async (site) => {
        const response = await site.fetch('/custom-error')
        expect([response.status, await response.text()]).toEqual([500, expect.stringMatching(/Trouble of kind.*500/)])
      },
      { configuration: 'screens' },
    ),
  ],
}
