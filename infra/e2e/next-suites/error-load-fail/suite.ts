// The suite of a screen of errors whose code cannot be loaded.

import { expect } from 'vitest'
import type { Suite } from '../harness/suite.ts'

const AT = '/error-load-fail'

export const errorLoadFail: Suite = {
  name: 'error-load-fail',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/error-load-fail/test/index.test.js',
  },
  tests: 1,
  rows: {},
  behaviours: [
    {
      id: 'error-load-fail-1',
      does: 'loads a document if neither the page nor the screen of errors can be shown',
      configuration: 'screens',
      via: 'browser',
      async run(site) {
        await site.open(AT, '#to-broken')
        // The code of the page is fetched, and nothing more.
        await site.page.hover('#to-broken')
        await site.page.waitForLoadState('networkidle')
        await site.page.route('**/*.js', (route) => route.abort())
        await site.page.click('#to-broken')
        await expect.poll(() => site.documents.length, site.patience).toBe(2)
        await expect.poll(site.address, site.patience).toBe(`${AT}/broken`)
      },
    },
  ],
}
