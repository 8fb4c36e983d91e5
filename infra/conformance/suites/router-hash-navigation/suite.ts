// The suite of a link to the top of a page whose address has a fragment.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/router-hash-navigation'

const { inBrowser } = behavioursOf('router-hash-navigation')

export const routerHashNavigation: Suite = {
  name: 'router-hash-navigation',
  source: upstream('test/integration/router-hash-navigation/test/index.test.js'),
  tests: 1,
  rows: {},
  behaviours: [
    inBrowser(1, 'scrolls to the top for a link without the fragment', async (site) => {
      const top = () => site.page.evaluate(() => window.scrollY)
      await site.open(`${AT}#part`)
      await expect.poll(top, site.patience).toBeGreaterThan(0)
      await site.page.click('#top')
      await expect.poll(top, site.patience).toBe(0)
      expect(site.address()).toBe(AT)
    }),
  ],
}
