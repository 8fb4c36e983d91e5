// The suite of a screen of errors whose getInitialProps fails.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/error-in-error'

const { inBrowser } = behavioursOf('error-in-error')
const screens = { configuration: 'screens' } as const

export const errorInError: Suite = {
  name: 'error-in-error',
  source: upstream('test/integration/error-in-error/test/index.test.js'),
  tests: 2,
  rows: {},
  behaviours: [
    ...responses('error-in-error', {
      '1 responds with the status in words': { ...screens, path: `${AT}/broken`, status: 500, text: /internal server error/i },
    }),
    inBrowser(
      2,
      'loads the document of such a page after a link',
      async (site) => {
        await site.open(AT)
        await site.page.click('#to-broken')
        await expect.poll(() => site.page.content(), site.patience).toMatch(/internal server error/i)
        expect(site.address()).toBe(`${AT}/broken`)
      },
      screens,
    ),
  ],
}
