// The suite of links that name a page and the address of another one, on a site with rewrites.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/rewrites-manual-href-as'
const PHOTO = `${AT}/photo/[photo]`

const { inBrowser } = behavioursOf('rewrites-manual-href-as')

async function follows(site: BrowserSite, link: string, address: string, pathname: string, query: object) {
  await site.page.click(`#${link}`)
  await shows(site, address, pathname, query)
}

async function shows(site: BrowserSite, address: string, pathname: string, query: object) {
  await expect.poll(site.state, site.patience).toMatchObject({ asPath: AT + address, pathname: AT + pathname, query })
  expect((await site.state()).query).toEqual(query)
}

const photo = PHOTO.slice(AT.length)

export const rewritesManualHrefAs: Suite = {
  name: 'rewrites-manual-href-as',
  source: upstream('test/integration/rewrites-manual-href-as/test/index.test.js'),
  tests: 2,
  rows: {},
  behaviours: [
    inBrowser(1, 'shows the page that a link names at the other address', async (site) => {
      await site.open(AT)
      await follows(site, 'first-as-photo', '/photo/7', '', { photo: '7' })
      await follows(site, 'photo', '/photo/7', photo, { photo: '7' })
      // A push to the same address has replaced the entry.
      await site.page.goBack()
      await shows(site, '', '', {})
      await follows(site, 'second', '/second', '/second', {})
      await site.page.goBack()
      await follows(site, 'hidden', '/hidden', '/second', {})
      await site.page.goBack()
      await follows(site, 'first-as-hidden', '/hidden', '', {})
      expect(site.documents).toHaveLength(1)
    }),
    inBrowser(2, 'does so from a page with a parameter', async (site) => {
      await site.open(`${AT}/photo/7`)
      await follows(site, 'first-as-photo', '/photo/7', '', { photo: '7' })
      await follows(site, 'photo', '/photo/7', photo, { photo: '7' })
      await follows(site, 'other-photo', '/photo/8', photo, { photo: '8' })
      await follows(site, 'second', '/second', '/second', {})
      await site.page.goBack()
      await follows(site, 'hidden', '/hidden', '/second', {})
      await site.page.goBack()
      await follows(site, 'photo-as-hidden', '/hidden', photo, { photo: '8' })
      await site.page.goBack()
      await follows(site, 'news-as-blog', '/blog', '/news/[[...parts]]', {})
      expect(site.documents).toHaveLength(1)
    }),
  ],
}
