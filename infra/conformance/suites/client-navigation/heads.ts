// `next/head` and `next/script` in a browser.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite } from '../../harness/behaviour.ts'
import { AT, browser, expectOneDocument, shows, showsPage } from './steps.ts'

/** How often each script ran. */
const runs = ({ page }: BrowserSite) =>
  page.evaluate(() => {
    const { asyncRuns, deferRuns } = window as never as Record<string, number>
    return { asyncRuns, deferRuns }
  })

const isAsync = ({ page }: BrowserSite, name: string) =>
  page.evaluate((path) => document.querySelector<HTMLScriptElement>(`script[src="${path}"]`)?.async, `${AT}/${name}.js`)

const descriptionOf = ({ page }: BrowserSite) =>
  page.evaluate(() => [...document.querySelectorAll<HTMLMetaElement>('meta[name=description]')].map((m) => m.content))

export const heads: readonly Behaviour[] = [
  browser([86], 'gives an element of a head no attribute without a value', async (site) => {
    await site.open(`${AT}/head`)
    expect(await site.page.locator('meta[name=no-content]').getAttribute('content')).toBe(null)
    expect(await site.page.locator('meta[name=no-content]').count()).toBe(1)
  }),
  browser([87, 88], 'runs each next/script once, and asynchronously as it says', async (site) => {
    await site.open(`${AT}/script`)
    await expect.poll(() => runs(site), site.patience).toEqual({ asyncRuns: 1, deferRuns: 1 })
    expect(await isAsync(site, 'async')).toBe(true)
    expect(await isAsync(site, 'plain')).toBe(false)
  }),
  browser([91, 92], 'runs each script of a head once, also when the head changes', async (site) => {
    await site.open(`${AT}/head`)
    await expect.poll(() => runs(site), site.patience).toEqual({ asyncRuns: 1, deferRuns: 1 })
    expect(await isAsync(site, 'async')).toBe(true)
    expect(await isAsync(site, 'plain')).toBe(false)
    for (const selector of ['#reverse', '#reverse']) {
      await site.page.click(selector)
      // A script would be loaded and run in this time.
      await site.page.evaluate(() => new Promise((done) => setTimeout(done, 250)))
      expect(await runs(site), selector).toEqual({ asyncRuns: 1, deferRuns: 1 })
    }
  }),
  browser([96, 97], 'changes title and description with the page', async (site) => {
    await site.open(`${AT}/head/one`)
    for (const name of ['two', 'one', 'three', 'one']) {
      await site.page.click(`#${name}`)
      await showsPage(site, `head/${name}`)
      await expect.poll(() => descriptionOf(site), site.patience).toEqual([`of ${name}`])
      await expect.poll(() => site.page.title(), site.patience).toBe(name === 'three' ? '' : `Head ${name}`)
    }
    expectOneDocument(site)
  }),
  browser([98], 'shows the title of an outer head again when the inner one is gone', async (site) => {
    await site.open(`${AT}/head/inner`)
    await shows(site, {})
    for (const title of ['Inner', 'Outer', 'Inner']) {
      await expect.poll(() => site.page.title(), site.patience).toBe(title)
      await site.page.click('#toggle')
    }
  }),
]
