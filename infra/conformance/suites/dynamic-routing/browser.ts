// Pages with parameters in their path, in a browser.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, PageState } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'

const suite = behavioursOf('dynamic-routing')

const AT = '/dynamic-routing'

/** A link of the index page: where it leads, and what the page there shows. */
function follows(number: number, does: string, link: string, address: string, state: Partial<PageState>): Behaviour {
  return {
    id: `dynamic-routing-${number}`,
    does,
    via: 'browser',
    async run(site) {
      await site.open(AT)
      await site.page.click(`#${link}`)
      await expect.poll(site.address, site.patience).toBe(AT + address)
      await expect.poll(site.state, site.patience).toMatchObject(state)
      expect(site.documents).toHaveLength(1)
      expect(site.faults).toEqual([])
    },
  }
}

const MAPS = { pathname: `${AT}/[shelf]`, query: { shelf: 'maps' } }
const MAPS_OF_1890 = { ...MAPS, query: { shelf: 'maps', year: '1890' } }
const ALPS = { pathname: `${AT}/[shelf]/[book]`, query: { shelf: 'maps', book: 'alps' } }

/** A catch-all page shows the segments that its data function got. */
const segments = (...path: string[]) => ({ props: { path } })

/** Links of a shelf that have a query only: where each leads from there. */
const QUERIES: readonly [string, string, Record<string, string>][] = [
  ['query', '/novels', { shelf: 'novels' }],
  ['query-more', '/letters?year=1890', { shelf: 'letters', year: '1890' }],
  ['query-object', '/music', { shelf: 'music' }],
  ['query-object-more', '/prints?year=1890', { shelf: 'prints', year: '1890' }],
  ['query-fragment', '/novels#labels', { shelf: 'novels' }],
  ['query-more-fragment', '/letters?year=1890#bottom', { shelf: 'letters', year: '1890' }],
  ['query-object-fragment', '/music#labels', { shelf: 'music' }],
  ['query-object-more-fragment', '/prints?year=1890#bottom', { shelf: 'prints', year: '1890' }],
]

/** Comes from the index page to the shelf of maps at a fragment, and goes back. */
async function visitsLabels(site: BrowserSite, leave: () => Promise<unknown>) {
  await leave()
  await expect.poll(site.address, site.patience).toBe(`${AT}/maps#labels`)
  await expect.poll(site.state, site.patience).toMatchObject(MAPS)
  await site.page.goBack()
  await expect.poll(site.state, site.patience).toMatchObject({ pathname: AT })
}

export const browser: readonly Behaviour[] = [
  suite.inBrowser(4, 'puts the parameter of a query into the path of the same page', async (site) => {
    await site.open(`${AT}/maps`)
    for (const [link, address, query] of QUERIES) {
      expect(await site.page.locator(`#${link}`).getAttribute('href')).toBe(AT + address)
      await site.page.click(`#${link}`)
      await expect.poll(site.address, site.patience).toBe(AT + address)
      await expect.poll(async () => (await site.state()).query, site.patience).toEqual(query)
    }
    expect(site.documents).toHaveLength(1)
  }),
  suite.inBrowser(5, 'moves to a fragment of the same page, from a string and from an object', async (site) => {
    await site.open(`${AT}/maps`)
    const { page } = site
    expect(await page.locator('#fragment').getAttribute('href')).toMatch(/^(\/dynamic-routing\/maps)?#labels$/)
    await page.click('#fragment')
    await expect.poll(site.address, site.patience).toBe(`${AT}/maps#labels`)
    await page.click('#fragment-object')
    await expect.poll(site.address, site.patience).toBe(`${AT}/maps#bottom`)
    expect(site.documents).toHaveLength(1)
  }),
  suite.inBrowser(6, 'follows links to a fragment of a page with a parameter', async (site) => {
    await site.open(AT)
    for (const link of ['#as-fragment', '#object-fragment', '#plain-fragment']) await visitsLabels(site, () => site.page.click(link))
    expect(site.documents).toHaveLength(1)
  }),
  suite.inBrowser(7, 'pushes addresses with a fragment of a page with a parameter', async (site) => {
    await site.open(AT)
    await visitsLabels(site, () => site.page.evaluate(`next.router.push('${AT}/[shelf]', '${AT}/maps#labels')`))
    const object = { pathname: `${AT}/[shelf]`, query: { shelf: 'maps' }, hash: 'labels' }
    await visitsLabels(site, () => site.page.evaluate(`next.router.push(${JSON.stringify(object)})`))
    await visitsLabels(site, () => site.page.evaluate(`next.router.push('${AT}/maps#labels')`))
    expect(site.documents).toHaveLength(1)
  }),
  follows(17, 'keeps a query of the address', 'as-query', '/maps?year=1890', MAPS_OF_1890),
  follows(20, 'follows a link that names the route and its address', 'as', '/maps', MAPS),
  follows(21, 'hides the query of a link whose address has none', 'query-hidden', '/maps', MAPS_OF_1890),
  follows(22, 'finds the page with a parameter by the address alone', 'plain', '/maps', MAPS),
  follows(23, 'puts the parameter of an object into the address', 'object', '/maps', MAPS),
  follows(24, 'leaves other values of an object in the query', 'object-more', '/maps?year=1890', MAPS_OF_1890),
  suite.inBrowser(25, 'leaves a page that pushes another address when it is mounted', async (site) => {
    await site.page.goto(`${site.origin}${AT}/maps/moved`)
    await expect.poll(site.address, site.patience).toBe(AT)
    await expect.poll(site.state, site.patience).toMatchObject({ pathname: AT })
    expect(site.documents).toHaveLength(1)
  }),
  suite.inBrowser(26, 'follows a link to a fixed segment below a parameter', async (site) => {
    await site.open(AT)
    await site.page.click('#loans')
    await expect.poll(() => site.page.locator('h1').textContent(), site.patience).toBe('Loans of maps')
    expect(site.documents).toHaveLength(1)
  }),
  follows(27, 'follows a link to parameters around a fixed segment', 'branch', '/branches/hill/street/12', { query: { town: 'hill', number: '12' } }),
  follows(28, 'follows a link with two parameters that names the route', 'book-as', '/maps/alps', ALPS),
  follows(29, 'finds the page with two parameters by the address alone', 'book-plain', '/maps/alps', ALPS),
  follows(30, 'puts both parameters of an object into the address', 'book-object', '/maps/alps', ALPS),
  suite.inBrowser(32, 'gives getInitialProps the parameter of the path in a client navigation', async (site) => {
    await site.open(`${AT}/guests/anna`)
    await site.page.click('#other')
    await expect.poll(site.state, site.patience).toMatchObject({ props: { guest: 'otto' } })
    expect(site.documents).toHaveLength(1)
  }),
  ...(
    [
      [40, 'one segment', 'archive-one', '/archive/by/date/1890', ['1890']],
      [41, 'two segments', 'archive-two', '/archive/by/date/1890/may', ['1890', 'may']],
      [42, 'encoded slashes', 'archive-encoded', '/archive/by/date/1890%2F/ma%2Fy', ['1890/', 'ma/y']],
      [43, 'a segment with a colon', 'archive-colon', '/archive/by/date/:42', [':42']],
      [52, 'one segment, with data of getStaticProps', 'issues-one', '/issues/of/any/1890', ['1890']],
      [53, 'one segment of an object', 'issues-one-object', '/issues/of/any/1890', ['1890']],
      [54, 'two segments, with data of getStaticProps', 'issues-two', '/issues/of/any/1890/may', ['1890', 'may']],
      [55, 'two segments of the address alone', 'issues-two-plain', '/issues/of/any/1890/may', ['1890', 'may']],
      [56, 'two segments of an object', 'issues-two-object', '/issues/of/any/1890/may', ['1890', 'may']],
      [57, 'one segment, as the index of a folder', 'nested-one', '/issues/of/nested/1890', ['1890']],
      [58, 'two segments, as the index of a folder', 'nested-two', '/issues/of/nested/1890/may', ['1890', 'may']],
    ] as const
  ).map(([number, what, link, address, path]) => follows(number, `follows a link to a catch-all page with ${what}`, link, address, segments(...path))),
  suite.inBrowser(
    59,
    'gives a page without a data function the parameter after hydration only',
    async (site) => {
      expect((await site.stateOf(`${AT}/guides/garden`)).query).toEqual({})
      await site.open(`${AT}/guides/garden`)
      await expect.poll(site.state, site.patience).toMatchObject({ query: { guide: 'garden' } })
    },
    {
      differs: {
        reason: 'the HTML has the parameter already: the page is rendered for its path, not for all of them',
        async run(site) {
          expect((await site.stateOf(`${AT}/guides/garden`)).query).toEqual({ guide: 'garden' })
          await site.open(`${AT}/guides/garden`)
          expect((await site.state()).query).toEqual({ guide: 'garden' })
          expect(site.faults).toEqual([])
        },
      },
    },
  ),
  suite.inBrowser(61, 'gives a page without a data function the parameter of an address with a fragment', async (site) => {
    await site.open(`${AT}/guides/garden#gate`)
    await expect.poll(site.state, site.patience).toMatchObject({ query: { guide: 'garden' } })
    expect(site.address()).toBe(`${AT}/guides/garden#gate`)
  }),
  suite.inBrowser(62, 'shows the element of the fragment when the page is loaded', async (site) => {
    await site.open(`${AT}/guides/garden#room-90`)
    await expect.poll(() => topOf(site, '#room-90'), site.patience).toBe(0)
  }),
  suite.inBrowser(63, 'shows the element of the fragment after a client navigation', async (site) => {
    await site.open(AT)
    await site.page.click('#guide-fragment')
    await expect.poll(site.state, site.patience).toMatchObject({ query: { guide: 'cellar' } })
    await expect.poll(() => topOf(site, '#room-90'), site.patience).toBe(0)
    expect(site.documents).toHaveLength(1)
  }),
]

/** The distance of an element from the upper edge of the window. */
const topOf = ({ page }: BrowserSite, selector: string) => page.locator(selector).evaluate((element) => Math.round(element.getBoundingClientRect().top))
