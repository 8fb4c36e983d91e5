// Links and calls of the router, in a browser.

import { expect } from 'vitest'
import type { Behaviour } from '../../harness/behaviour.ts'
import { AT, browser, expectOneDocument, shows, showsPage } from './steps.ts'

export const links: readonly Behaviour[] = [
  browser([2, 8, 13], 'follows links, also those with an element of their own, and keeps the state of modules', async (site) => {
    await site.open(AT)
    await site.page.click('#step')
    await shows(site, { props: { steps: 1 } })
    await site.page.click('#pier')
    await showsPage(site, 'pier')
    await site.page.click('#harbour-link')
    await shows(site, { pathname: AT, props: { steps: 1 } })
    expectOneDocument(site)
  }),
  browser([5, 6], 'moves in the history across reloads', async (site) => {
    await site.open(AT)
    await site.page.click('#pier')
    await showsPage(site, 'pier')
    await site.page.reload()
    await site.page.goBack()
    await showsPage(site, '')
    await site.page.reload()
    await site.page.goForward()
    await showsPage(site, 'pier')
    expect(site.faults).toEqual([])
  }),
  browser([7], 'throws where a component calls the handler of its link without an event', async (site) => {
    await site.open(`${AT}/odd-click`)
    await site.page.click('#wrong')
    await shows(site, { props: { errors: 1 } })
  }),
  browser([9, 67, 68], 'leaves the site for an address of another, by a link and by the router', async (site) => {
    const { page } = site
    await page.route('https://far.example/**', (route) => route.fulfill({ body: '<h1>Far away</h1>' }))
    for (const selector of ['#far', '#far-push', '#far-replace']) {
      await site.open(`${AT}/far`)
      await page.click(selector)
      await expect.poll(() => page.url(), site.patience).toBe('https://far.example/')
    }
  }),
  browser([10, 11, 12, 69, 70], 'navigates to whole addresses of the site, and calls the handlers of the pointer', async (site) => {
    const { page } = site
    await site.open(`${AT}/far`)
    await page.hover('#far')
    await shows(site, { props: { isOver: true } })
    for (const selector of ['#near', '#near-push', '#near-as']) {
      await page.click(selector)
      if (selector === '#near-as') await shows(site, { pathname: `${AT}/berths/[berth]`, query: { berth: '7' } })
      else await showsPage(site, 'pier')
      await page.goBack()
      await showsPage(site, 'far')
    }
    await page.click('#near-replace')
    await showsPage(site, 'pier')
    expectOneDocument(site)
  }),
  browser([14, 15, 16], 'leaves clicks for other windows to the browser, and follows a link within a drawing', async (site) => {
    const { page } = site
    await site.open(AT)
    await page.click('#step')
    for (const modifiers of [[], ['ControlOrMeta' as const]]) {
      const opened = page.context().waitForEvent('page')
      await page.click(modifiers.length === 0 ? '#pier-window' : '#pier-drawn', { modifiers })
      await (await opened).close()
      expect(await site.state()).toMatchObject({ pathname: AT, props: { steps: 1 } })
    }
    await page.click('#pier-drawn')
    await showsPage(site, 'pier')
    expectOneDocument(site)
  }),
  browser([20, 21], 'requests the data of the same page for another query, and for none', async (site) => {
    await site.open(`${AT}/tides?id=1`)
    await site.page.click('#next')
    await shows(site, { props: { id: 2 } })
    await site.page.click('#plain')
    await shows(site, { props: { id: 0 } })
    expectOneDocument(site)
  }),
  browser([22, 23], 'requests data again for a link to the same address, and replaces the entry of the history', async (site) => {
    await site.open(AT)
    await site.page.click('#again')
    await showsPage(site, 'again')
    const run = async () => ((await site.state()).props as { run: number }).run
    for (const _ of [1, 2]) {
      const before = await run()
      await site.page.click('#again')
      await expect.poll(run, site.patience).toBeGreaterThan(before)
    }
    await site.page.goBack()
    await showsPage(site, '')
    expectOneDocument(site)
  }),
  browser([24, 25, 26], 'calls the handler of a link before it follows the link, and does not follow where the handler prevents it', async (site) => {
    await site.open(AT)
    await site.page.click('#bell')
    await shows(site, { props: { count: 1, rung: 0 } })
    await site.page.click('#ring-only')
    await shows(site, { props: { count: 1, rung: 1 } })
    await site.page.click('#ring')
    await shows(site, { props: { count: 2, rung: 2 } })
    // The link replaces the entry.
    await site.page.goBack()
    await showsPage(site, '')
    expectOneDocument(site)
  }),
  browser([49, 50, 51], 'follows addresses that are objects, and replaces an entry where the link says so', async (site) => {
    const { page } = site
    const entries = () => page.evaluate(() => history.length)
    await site.open(AT)
    const before = await entries()
    await page.click('#pier-instead')
    await showsPage(site, 'pier')
    expect(await entries()).toBe(before)
    await page.click('#harbour-link')
    await showsPage(site, '')
    expect(await entries()).toBe(before + 1)
    for (const selector of ['#tides', '#tides-push']) {
      await page.click(selector)
      await shows(site, { pathname: `${AT}/tides`, props: { id: 10 } })
      expect(site.address()).toBe(`${AT}/tides/of/10#high`)
      await page.goBack()
      await showsPage(site, '')
    }
    expectOneDocument(site)
  }),
  browser([52], 'makes texts of the values of a query', async (site) => {
    await site.open(AT)
    await site.page.click('#odd')
    await showsPage(site, 'query')
    expect((await site.state()).query).toEqual({
      v0: '',
      v1: '',
      v2: '',
      v3: '0',
      v4: 'false',
      // A list without values has no parameter.
      v6: '',
      v7: '',
      v8: '',
      v9: '',
      list: ['', '', '', '0', 'false', '', '', '', '', ''],
    })
  }),
  browser([53, 54, 55], 'resolves a query alone against the address of the page', async (site) => {
    await site.open(`${AT}/only`)
    for (const [selector, knot] of [
      ['#link', 'bowline'],
      ['#push', 'reef'],
      ['#replace', 'hitch'],
    ] as const) {
      await site.page.click(selector)
      await shows(site, { props: { knot } })
      expect(site.address()).toBe(`${AT}/only?knot=${knot}`)
    }
    expectOneDocument(site)
  }),
  browser([56], 'completes each shallow replacement by the same address', async (site) => {
    await site.open(`${AT}/only-shallow`)
    await site.page.click('#replace')
    await shows(site, { props: { complete: 1 } })
    await site.page.click('#replace')
    await shows(site, { props: { complete: 2, errors: 0 } })
  }),
  browser([57], 'follows the redirect of a data function without another document', async (site) => {
    await site.open(AT)
    await site.page.click('#moved')
    await showsPage(site, 'pier')
    expect(site.address()).toBe(`${AT}/pier`)
    expectOneDocument(site)
  }),
  browser([90], 'resolves paths against the address of the page', async (site) => {
    const { page } = site
    await site.open(`${AT}/relative`, '#to-first')
    await page.click('#to-first')
    await page.click('#to-second')
    await page.click('#to-start')
    await page.waitForSelector('#to-first')
    expect(site.address()).toBe(`${AT}/relative`)
    expectOneDocument(site)
  }),
]
