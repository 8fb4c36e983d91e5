// The suite of links with refs.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const AT = '/link-ref-pages'

const { inBrowser } = behavioursOf('link-ref-pages')

/** The element of the link is in its ref, and the data of its page is fetched before a click. */
const prefetches = (page: string) => async (site: BrowserSite) => {
  await site.open(`${AT}/${page}`, '#link')
  expect(await site.page.getAttribute('#link', 'data-ref')).toBe('set')
  const data = () => site.page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => /ref-pages\.json/.test(name)))
  await expect.poll(async () => (await data()).length, site.patience).toBeGreaterThan(0)
}

const development = notApplicable('errors of the development build')

export const linkRefPages: Suite = {
  name: 'link-ref-pages',
  source: upstream('test/integration/link-ref-pages/test/index.test.js'),
  tests: 10,
  rows: { 2: development, 3: development, 4: development, 5: development, 6: development },
  behaviours: [
    inBrowser(1, 'leaves a menu open that has a link, and that the same click has opened', async (site) => {
      await site.open(`${AT}/menu`, '#open')
      await site.page.click('#open')
      await site.page.waitForSelector('#menu')
      await site.page.evaluate(() => new Promise((done) => setTimeout(done, 50)))
      expect(await site.page.locator('#menu').count()).toBe(1)
    }),
    inBrowser(7, 'prefetches for a component that passes its ref on', prefetches('component')),
    inBrowser(8, 'prefetches for a link with a ref object', prefetches('object')),
    inBrowser(9, 'prefetches for a link with a ref callback', prefetches('callback')),
    inBrowser(10, 'prefetches for a ref callback with a cleanup, which runs when the link is removed', async (site) => {
      await prefetches('cleanup')(site)
      await site.page.click('#remove')
      await expect.poll(() => site.page.evaluate(() => window.refs), site.patience).toEqual(['set', 'cleaned'])
    }),
  ],
}

declare global {
  interface Window {
    /** Written by the page. */
    refs?: string[]
  }
}
