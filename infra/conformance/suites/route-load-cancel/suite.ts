// The suite of a navigation that another one replaces.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/route-load-cancel'

const { inBrowser } = behavioursOf('route-load-cancel')

export const routeLoadCancel: Suite = {
  name: 'route-load-cancel',
  source: upstream('test/integration/route-load-cancel/test/index.test.js'),
  tests: 1,
  rows: {},
  behaviours: [
    inBrowser(1, 'cancels a slow navigation, and reports it', async (site) => {
      await site.open(AT)
      await site.page.evaluate(`next.router.events.on('routeChangeError', ({ cancelled }) => { window.wasCancelled = cancelled })`)
      await site.page.click('#slow')
      await site.page.waitForTimeout(50)
      await site.page.click('#fast')
      await expect.poll(site.state, site.patience).toMatchObject({ pathname: `${AT}/fast` })
      expect(await site.page.evaluate('window.wasCancelled')).toBe(true)
      expect(site.documents).toHaveLength(1)
    }),
  ],
}
