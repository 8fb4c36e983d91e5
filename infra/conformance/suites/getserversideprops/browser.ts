// Pages whose data is read for each request, in a browser.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, Run } from '../../harness/behaviour.ts'

const AT = '/getserversideprops'

function inBrowser(number: number, does: string, run: Run<BrowserSite>): Behaviour {
  return { id: `getserversideprops-${number}`, does, via: 'browser', run }
}

/** Clicks a link, and waits for what the next page shows. */
async function follows(site: BrowserSite, link: string, state: object) {
  await site.page.click(`#${link}`)
  await expect.poll(site.state, site.patience).toMatchObject(state)
}

const HOME = { pathname: AT, props: { harbour: 'North' } }

/** Within the page, so that the data of the first link has not arrived at the last click. */
const clickInTurn = ({ page }: BrowserSite, links: readonly string[]) =>
  page.evaluate(async (all) => {
    for (const link of all) {
      document.querySelector<HTMLElement>(link)!.click()
      await new Promise((done) => setTimeout(done))
    }
  }, links)

/** Pushes an address whose data function says notFound. */
async function findsNothing(site: BrowserSite, path: string) {
  await site.open(AT)
  await site.page.evaluate(`void next.router.push('${AT}${path}')`)
  await expect.poll(() => site.page.locator('#state').count(), site.patience).toBe(0)
  await expect.poll(() => site.page.locator('body').textContent(), site.patience).toMatch(/404|not (be )?found/i)
  expect(site.documents).toHaveLength(1)
}

export const browser: readonly Behaviour[] = [
  inBrowser(1, 'navigates between pages, with new data each time', async (site) => {
    await site.open(AT)
    await follows(site, 'arrivals', { pathname: `${AT}/arrivals` })
    const first = (await site.state()).props as { arrived: number }
    await follows(site, 'home', HOME)
    await follows(site, 'arrivals', { pathname: `${AT}/arrivals` })
    expect(((await site.state()).props as typeof first).arrived).toBeGreaterThan(first.arrived)
    await follows(site, 'home', HOME)
    await follows(site, 'tides', { pathname: `${AT}/tides` })
    await follows(site, 'home', HOME)
    await follows(site, 'ship', { props: { params: { ship: 'aurora' } } })
    await follows(site, 'home', HOME)
    await follows(site, 'cabin', { props: { ship: 'aurora', cabin: 'seven' } })
    expect(site.documents).toHaveLength(1)
    expect(site.faults).toEqual([])
  }),
  inBrowser(6, 'shows the page 404 after a navigation where the data function says notFound', (site) => findsNothing(site, '/hidden?fog=1')),
  inBrowser(9, 'shows the page 404 after a navigation to a page with a parameter', (site) => findsNothing(site, '/hidden/two?fog=1')),
  inBrowser(31, 'navigates to a page without data and back', async (site) => {
    await site.open(AT)
    await follows(site, 'plan', { pathname: `${AT}/plan` })
    await site.page.goBack()
    await expect.poll(site.state, site.patience).toMatchObject(HOME)
    expect(site.documents).toHaveLength(1)
  }),
  inBrowser(32, 'runs the effects of a page that exports its data function at the end', async (site) => {
    await site.page.goto(`${site.origin}${AT}/lamp`)
    await expect.poll(() => site.page.locator('#lamp').textContent(), site.patience).toBe('green')
    expect(site.faults).toEqual([])
  }),
  inBrowser(34, 'keeps parameter and query after hydration', async (site) => {
    await site.open(`${AT}/ships/aurora?deck=upper`)
    expect((await site.state()).query).toEqual({ ship: 'aurora', deck: 'upper' })
    expect(site.faults).toEqual([])
  }),
  inBrowser(35, 'gives the data function the query of a navigation', async (site) => {
    await site.open(AT)
    await follows(site, 'tides-query', { props: { query: { moon: 'full' } } })
    expect(site.documents).toHaveLength(1)
  }),
  inBrowser(36, 'loads the document when the data of a navigation fails', async (site) => {
    await site.open(AT)
    await site.page.click('#sunk')
    await expect.poll(() => site.documents.at(-1), site.patience).toBe(`${site.origin}${AT}/ships/sunk`)
  }),
  inBrowser(38, 'requests no data to learn the query of its own address', async (site) => {
    const { page } = site
    await site.open(`${AT}/tides?moon=full`)
    const state = await site.state()
    expect(state.query).toEqual({ moon: 'full' })
    expect(await page.evaluate('__NEXT_DATA__.props.pageProps.level')).toBe((state.props as { level: number }).level)
    expect(await dataRequests(site)).toEqual([])
  }),
  inBrowser(39, 'leaves a navigation for another one without an error', async (site) => {
    await site.open(AT)
    await clickInTurn(site, ['#ferry', '#plan'])
    await expect.poll(site.state, site.patience).toMatchObject({ pathname: `${AT}/plan` })
    expect(site.address()).toBe(`${AT}/plan`)
    expect(site.documents).toHaveLength(1)
    expect(site.faults).toEqual([])
  }),
  inBrowser(40, 'requests data once for clicks on the same link, and once more later', async (site) => {
    await site.open(AT)
    await clickInTurn(site, ['#ferry', '#ferry', '#ferry', '#ferry'])
    await expect.poll(site.state, site.patience).toMatchObject({ pathname: `${AT}/ferry` })
    const { trip } = (await site.state()).props as { trip: number }
    await follows(site, 'home', HOME)
    await follows(site, 'ferry', { props: { trip: trip + 1 } })
    expect(site.documents).toHaveLength(1)
  }),
  inBrowser(48, 'requests no data for a page that has failed', async (site) => {
    await site.page.goto(`${site.origin}${AT}/ships/sunk`)
    await site.page.waitForLoadState('networkidle')
    expect(site.documents).toHaveLength(1)
    expect(await dataRequests(site)).toEqual([])
  }),
  inBrowser(53, 'navigates to a page with a value that JSON does not have', async (site) => {
    await site.open(AT)
    await site.page.click('#calendar')
    await expect.poll(() => site.page.locator('#day').textContent(), site.patience).toMatch(/^Day .*1890/)
    expect(site.documents).toHaveLength(1)
  }),
]

/** What was requested from the addresses of page data so far. */
const dataRequests = ({ page }: BrowserSite) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => /^\/(_next|_portico)\/data\//.test(path)),
  )
