// Prerendered pages in a browser.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite } from '../../harness/behaviour.ts'
import { AT, inBrowser, propsOf } from './shared.ts'

/** Clicks a link, and waits for what the next page shows. */
async function follows(site: BrowserSite, link: string, state: object) {
  await site.page.click(`#${link}`)
  await expect.poll(site.state, site.patience).toMatchObject(state)
}

const HOME = { pathname: AT, props: { place: 'tower' } }

/** Follows links of the first page in turn, and returns from each, within one document. */
async function followsEach(site: BrowserSite, links: readonly (readonly [link: string, props: object])[]) {
  await site.open(AT)
  for (const [link, props] of links) {
    await follows(site, link, { props })
    await follows(site, 'home', HOME)
  }
  expect(site.documents).toHaveLength(1)
}

/** Opens a path that is not listed: the fallback first, then its data, which is held back until the fallback is seen. */
async function fillsFallback(site: BrowserSite, path: string, props: object) {
  const seen = Promise.withResolvers<void>()
  await site.page.route(/\/data\//, async (route) => {
    await seen.promise
    await route.continue()
  })
  await site.page.goto(site.origin + AT + path)
  await expect.poll(() => site.page.locator('#waiting').count(), site.patience).toBe(1)
  seen.resolve()
  await expect.poll(site.state, site.patience).toMatchObject({ props })
  expect(site.documents).toHaveLength(1)
}

export const browser: readonly Behaviour[] = [
  inBrowser(1, 'navigates between prerendered pages', (site) =>
    followsEach(site, [
      ['dome', { place: 'dome' }],
      ['still', { params: null }],
      ['star', { params: { star: 'star-1' } }],
      ['maybe-none', { path: [] }],
      ['maybe-one', { path: ['one'] }],
      ['moon', { params: { star: 'star-1', moon: 'moon-1' } }],
      ['orbit', { params: { path: ['inner'] } }],
    ]),
  ),
  inBrowser(16, 'navigates to a page without data', async (site) => {
    await site.open(AT)
    await follows(site, 'plain', { pathname: `${AT}/plain` })
    expect(site.documents).toHaveLength(1)
  }),
  inBrowser(17, 'has the query of the address after hydration', async (site) => {
    await site.open(`${AT}/stars/star-1?lens=red`)
    await expect.poll(site.state, site.patience).toMatchObject({ query: { star: 'star-1', lens: 'red' } })
  }),
  inBrowser(18, 'loads the document when the data of a navigation fails', async (site) => {
    await site.open(AT)
    await site.page.click('#dark')
    await expect.poll(() => site.documents.length, site.patience).toBe(2)
  }),
  {
    ...inBrowser(20, 'navigates to params with brackets', (site) =>
      followsEach(site, [
        ['bracket-object', { slug: '[object]' }],
        ['bracket-string', { slug: '[string]' }],
        ['brackets-string', { params: { path: ['[string]', '[two]'] } }],
        ['brackets-object', { params: { path: ['[object]', '[two]'] } }],
      ]),
    ),
    also: [22, 28, 30],
  },
  inBrowser(25, 'makes a page whose path begins with the letters api', async (site) => {
    await site.page.goto(`${site.origin}/api-prerender/second`)
    await expect.poll(async () => (await site.state()).props, site.patience).toEqual({ note: 'on the telescope' })
  }),
  inBrowser(34, 'fills the fallback of a catch-all path of two segments', (site) =>
    fillsFallback(site, '/orbits/lazy/two', { params: { path: ['lazy', 'two'] } }),
  ),
  inBrowser(37, 'fills the fallback of a path with an encoded slash', async (site) => {
    await fillsFallback(site, '/only/first%2Fpart', { params: { slug: 'first/part' } })
    expect((await site.state()).query).toEqual({ slug: 'first/part' })
  }),
  inBrowser(43, 'navigates to a page of another path than the one in the address', async (site) => {
    await site.open(AT)
    await follows(site, 'about', { props: { lang: 'en' } })
    expect(site.address()).toBe(`${AT}/about`)
    expect(site.documents).toHaveLength(1)
  }),
  inBrowser(44, 'fills the fallback of a path behind a rewrite', async (site) => {
    const star = { star: 'star-31' }
    await site.page.goto(`${site.origin}${AT}/star-number/31`)
    await expect.poll(site.state, site.patience).toMatchObject({ query: star, props: { params: star } })
    expect((await site.state()).query).toEqual(star)
  }),
  inBrowser(65, 'shows a value that JSON does not have, after the fallback', async (site) => {
    await site.page.goto(`${site.origin}${AT}/dates/direct`)
    await expect.poll(() => site.page.locator('#day').textContent(), site.patience).toMatch(/^Seen on .*1781/)
  }),
  inBrowser(66, 'shows a value that JSON does not have, after a navigation', async (site) => {
    await site.open(AT)
    await site.page.click('#date')
    await expect.poll(() => site.page.locator('#day').textContent(), site.patience).toMatch(/^Seen on .*1781/)
    expect(site.documents).toHaveLength(1)
  }),
  inBrowser(81, 'requests nothing again for a page that was hydrated', async (site) => {
    await site.open(`${AT}/still`)
    const { made } = propsOf(await site.state())
    await site.page.waitForTimeout(200)
    expect(propsOf(await site.state()).made).toBe(made)
    const requested = await site.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    expect(requested.filter((url) => /\/data\/.*still/.test(url))).toEqual([])
  }),
]
