// The suite of a screen of errors whose code cannot be loaded.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const suite = behavioursOf('error-load-fail')

const AT = '/error-load-fail'

export const errorLoadFail: Suite = {
  name: 'error-load-fail',
  source: upstream('test/integration/error-load-fail/test/index.test.js'),
  tests: 1,
  rows: {},
  behaviours: [
    suite.inBrowser(
      1,
      'loads a document if neither the page nor the screen of errors can be shown',
      async (site) => {
        await site.open(AT, '#to-broken')
        // The code of the page is fetched, and nothing more.
        await site.page.hover('#to-broken')
        await site.page.waitForLoadState('networkidle')
        await site.page.route('**/*.js', (route) => route.abort())
        await site.page.click('#to-broken')
        await expect.poll(() => site.documents.length, site.patience).toBe(2)
        await expect.poll(site.address, site.patience).toBe(`${AT}/broken`)
      },
      { configuration: 'screens' },
    ),
  ],
}
