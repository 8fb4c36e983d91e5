// The router and the entries of the history, in a browser.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { AT, browser, expectOneDocument, isAtTop, scrolled, shows, showsPage } from './steps.ts'

const suite = behavioursOf('client-navigation')

export const router: readonly Behaviour[] = [
  browser([42, 43], 'keeps options of a push in the entry of the history, and requests no data for fragments', async (site) => {
    await site.open(`${AT}/log`)
    const { run } = (await site.state()).props as { run: number }
    for (const loud of [1, 2]) {
      await site.page.click('#loud')
      await shows(site, { props: { run, entry: { loud } } })
    }
    for (const quiet of [1, 2]) {
      await site.page.click('#quiet')
      await shows(site, { props: { run, entry: { loud: 2, quiet } } })
    }
    expectOneDocument(site)
  }),
  browser([44, 45, 46], 'requests no data for shallow navigations, and does when it comes back to the page', async (site) => {
    const { page } = site
    await site.open(`${AT}/shallow`)
    const { run } = (await site.state()).props as { run: number }
    for (const count of [1, 2]) {
      await page.click('#more')
      await shows(site, { props: { run, count } })
    }
    await page.goBack()
    await shows(site, { props: { run, count: 1 } })
    await page.click('#harbour-link')
    await showsPage(site, '')
    await page.goBack()
    await shows(site, { props: { run: run + 1, count: 1 } })
    expectOneDocument(site)
  }),
  browser([47, 48], 'stays where it is scrolled to in shallow navigations, unless it is asked to scroll', async (site) => {
    const { page } = site
    await site.open(`${AT}/shallow`)
    const down = async () => {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
      return scrolled(site)
    }
    const before = await down()
    expect(before).toBeGreaterThan(3000)
    await page.click('#more')
    await shows(site, { props: { count: 1 } })
    expect(await scrolled(site)).toBe(before)
    await page.click('#more-top')
    await shows(site, { props: { count: 2 } })
    await isAtTop(site)
    await down()
    await page.click('#more-data')
    await shows(site, { props: { count: 3 } })
    await isAtTop(site)
    await down()
    // To another page a shallow navigation is a usual one.
    await page.click('#elsewhere')
    await showsPage(site, 'arrival')
    await isAtTop(site)
  }),
  browser([59, 60, 62], 'mounts a page, the index page of a folder, and that of the site', async (site) => {
    for (const path of [`${AT}/mounted`, `${AT}/mounted/folder`, '/']) {
      await site.open(path, '#mounted')
      await site.page.getByText('in the browser').waitFor()
    }
    expect(site.faults).toEqual([])
  }),
  browser([63], 'gives the router to a component that is wrapped', async (site) => {
    await site.open(`${AT}/with-router`, '#go')
    expect(await site.page.textContent('#route')).toBe(`${AT}/with-router`)
    expect(await site.page.textContent('#address')).toBe(`${AT}/with-router`)
    await site.page.click('#go')
    await showsPage(site, 'pier')
    expectOneDocument(site)
  }),
  browser([64, 65, 66], 'knows the address of the page, also that which a link gives to it', async (site) => {
    await site.open(AT)
    await site.page.click('#sign-as')
    await shows(site, { pathname: `${AT}/sign`, asPath: `${AT}/another/sign` })
    await site.page.goBack()
    await showsPage(site, '')
    await site.page.click('#sign')
    await shows(site, { pathname: `${AT}/sign`, asPath: `${AT}/sign` })
    expectOneDocument(site)
  }),
  browser([71, 72], 'makes an entry for each other address of the same page, and comes back to its query', async (site) => {
    const { page } = site
    const isAt = (asPath: string, query: object) => expect.poll(site.state, site.patience).toEqual({ pathname: `${AT}/way`, asPath: AT + asPath, query })
    await site.open(`${AT}/way`)
    await page.click('#left')
    await isAt('/some/left', { to: 'left' })
    await page.click('#left-too')
    await isAt('/some/left-too', { to: 'left' })
    await page.goBack()
    await isAt('/some/left', { to: 'left' })
    await page.click('#none')
    await isAt('/some/none', {})
    await page.click('#plain')
    await isAt('/way', {})
    await page.goBack()
    await isAt('/some/none', {})
    await page.click('#query-left')
    await isAt('/some/query?to=left', { to: 'left' })
    await page.click('#query-right')
    await isAt('/some/query?to=right', { to: 'right' })
    expectOneDocument(site)
  }),
  browser([81, 82, 83], 'leaves entries of the history to the code that made them', async (site) => {
    const { page } = site
    for (const state of [{ url: `${AT}/query` }, { url: 'https://far.example' }, {}]) {
      await site.open(AT)
      await page.evaluate(([entry, path]) => history.pushState(entry, '', path as string), [state, `${AT}/query`] as const)
      await page.click('#pier')
      await showsPage(site, 'pier')
      await page.goBack()
      await expect.poll(site.address, site.patience).toBe(`${AT}/query`)
      // A fault would follow in one of the next tasks.
      await page.evaluate(() => new Promise((done) => setTimeout(done, 50)))
      expect(site.faults).toEqual([])
    }
  }),
  suite.inBrowser(89, 'reports moves to fragments that the next one cancels', async (site) => expect((await moveThrice(site)).errors).toBeGreaterThan(0), {
    differs: {
      reason: 'a move to a fragment is complete when the call returns: none is cancelled',
      async run(site) {
        expect(await moveThrice(site)).toEqual({ errors: 0, moves: [true, true, true] })
        expect(site.address()).toBe(`${AT}#c`)
      },
    },
  }),
]

/** Moves to three fragments without a pause between them. */
async function moveThrice(site: BrowserSite) {
  await site.open(AT)
  return site.page.evaluate(async () => {
    interface Router {
      push: (path: string) => Promise<boolean>
      events: { on: (name: string, run: () => void) => void }
    }
    const { router } = (window as never as { next: { router: Router } }).next
    let errors = 0
    router.events.on('routeChangeError', () => {
      errors++
    })
    const settled = await Promise.allSettled(['#a', '#b', '#c'].map((path) => router.push(path)))
    return { errors, moves: settled.map((move) => move.status === 'fulfilled' && move.value) }
  })
}
