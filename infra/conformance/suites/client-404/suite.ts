// The suite of navigations that lead to nothing.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/client-404'

const { inBrowser } = behavioursOf('client-404')

export const client404: Suite = {
  name: 'client-404',
  source: upstream('test/integration/client-404/test/index.test.js'),
  tests: 3,
  rows: {},
  behaviours: [
    inBrowser(1, 'shows the page 404 again that the client goes back to', async (site) => {
      const text = () => site.page.textContent('body')
      await site.page.goto(`${site.origin}${AT}/nothing`)
      await site.page.waitForFunction('window.next?.router')
      expect(await text()).toContain('404')
      await site.page.evaluate(`void next.router.push('${AT}')`)
      await site.page.waitForSelector('#state')
      await site.page.goBack()
      await expect.poll(text, site.patience).toContain('404')
    }),
    inBrowser(2, 'loads a document for a link to no page', async (site) => {
      await site.open(AT)
      await site.page.click('#nothing')
      await expect.poll(() => site.documents.length, site.patience).toBe(2)
      await expect.poll(() => site.page.textContent('body'), site.patience).toContain('404')
    }),
    inBrowser(3, 'loads a document where the code of a page cannot be loaded', async (site) => {
      let isOffline = true
      await site.page.route(/\.js(\?|$)/, (route) => (isOffline ? route.abort('internetdisconnected') : route.continue()))
      isOffline = false
      await site.open(AT)
      isOffline = true
      await site.page.click('#far')
      await expect.poll(() => site.documents.length, site.patience).toBe(2)
      isOffline = false
      await expect.poll(site.state, site.patience).toMatchObject({ pathname: `${AT}/far` })
    }),
  ],
}
