// Fragments of addresses, and where a page is scrolled to, in a browser.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite } from '../../harness/behaviour.ts'
import { AT, browser, expectOneDocument, isAtTop, isScrolledTo, scrolled, shows, showsPage } from './steps.ts'

/** Leaves a page at its end, and returns where the next one was scrolled to when it was shown first, at its address. */
async function arriveBy(selector: string, site: BrowserSite): Promise<number> {
  const top = async () => ((await site.state()).props as { top: number } | undefined)?.top ?? -1
  await site.open(`${AT}/long`)
  // Scrolls to the link at the end of the page.
  await site.page.click(selector)
  await expect.poll(top, site.patience).not.toBe(-1)
  expect(await site.state()).toMatchObject({ props: { path: `${AT}/arrival` } })
  return top()
}

export const fragments: readonly Behaviour[] = [
  browser([27, 28], 'scrolls before the effects of the next page run', async (site) => {
    for (const selector of ['#arrive', '#arrive-push']) expect(await arriveBy(selector, site)).toBe(0)
  }),
  browser([29], 'does not scroll where it is asked not to', async (site) => {
    expect(await arriveBy('#arrive-below', site)).toBeGreaterThan(3000)
  }),
  browser([30, 31, 37, 38, 40, 41], 'requests no data for fragments, and knows them', async (site) => {
    const { page } = site
    await site.open(`${AT}/quay`)
    expect(site.faults).toEqual([])
    const { run } = (await site.state()).props as { run: number }
    const isAt = (fragment: string) => shows(site, { asPath: `${AT}/quay${fragment}`, props: { run } })
    await page.click('#sign')
    await isAt('#sign')
    await page.click('#sign-anchor')
    await expect.poll(site.address, site.patience).toBe(`${AT}/quay#anchor`)
    expect(await site.state()).toMatchObject({ props: { run } })
    await page.goBack()
    await isAt('#sign')
    await page.click('#empty')
    await expect.poll(site.address, site.patience).toMatch(/\/quay#?$/)
    expect(await site.state()).toMatchObject({ props: { run } })
    expectOneDocument(site)
  }),
  browser([39], 'requests data for the address without the fragment', async (site) => {
    await site.open(`${AT}/quay`)
    const { run } = (await site.state()).props as { run: number }
    await site.page.click('#sign-anchor')
    await expect.poll(site.address, site.patience).toBe(`${AT}/quay#anchor`)
    await site.page.click('#whole')
    await expect.poll(async () => ((await site.state()).props as { run: number }).run, site.patience).toBeGreaterThan(run)
    expect(await site.state()).toMatchObject({ asPath: `${AT}/quay` })
    expectOneDocument(site)
  }),
  browser([32, 33, 34], 'scrolls to the element of a fragment, by id and by name, and to the top', async (site) => {
    const { page } = site
    await site.open(`${AT}/quay`)
    await page.click('#buoy-still')
    await expect.poll(site.address, site.patience).toBe(`${AT}/quay#mooring`)
    expect(await scrolled(site)).toBe(0)
    for (const [link, target, end] of [
      ['#row', '#row-200', '#empty'],
      ['#row', '#row-200', '#up'],
      ['#buoy', '[name=mooring]', '#empty'],
      ['#word', '#港口', '#up'],
    ] as const) {
      await page.click(link)
      await isScrolledTo(site, target)
      await page.click(end)
      await isAtTop(site)
    }
    expectOneDocument(site)
  }),
  browser([35, 36], 'scrolls to the element of a fragment of another page', async (site) => {
    await site.open(AT)
    for (const [link, target] of [
      ['#quay-row', '#row-200'],
      ['#quay-word', '#港口'],
    ] as const) {
      await site.page.click(link)
      await showsPage(site, 'quay')
      await isScrolledTo(site, target)
      await site.page.goBack()
      await showsPage(site, '')
    }
    expectOneDocument(site)
  }),
]
