// The suite of a screen of errors whose getInitialProps fails.

import { expect } from 'vitest'
import { behavioursOf } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const AT = '/error-in-error'

const { overHttp, inBrowser } = behavioursOf('error-in-error')
const screens = { configuration: 'screens' } as const

export const errorInError: Suite = {
  name: 'error-in-error',
  source: upstream('test/integration/error-in-error/test/index.test.js'),
  tests: 2,
  rows: {},
  behaviours: [
    overHttp(
      1,
      'responds with the status in words',
      async (site) => {
        const response = await site.fetch(`${AT}/broken`)
        expect([response.status, await response.text()]).toEqual([500, expect.stringMatching(/internal server error/i)])
      },
      screens,
    ),
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
