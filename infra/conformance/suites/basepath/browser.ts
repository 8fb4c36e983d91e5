// A site below a base path, in a browser: navigation and the state of pages.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, PageState } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../../harness/other-host.ts'
import { keepsQuery, returnsToMask } from './shared.ts'

const suite = behavioursOf('basepath')

const AT = '/library'

type BrowserRun = (site: BrowserSite) => Promise<void>

const browser = (number: number, does: string, run: BrowserRun): Behaviour => ({
  ...{ id: `basepath-${number}`, does, configuration: 'basepath', via: 'browser', run },
})

const shows = (site: BrowserSite, heading: string) => site.page.getByRole('heading', { name: heading }).waitFor()

const expectState = (site: BrowserSite, state: Partial<PageState>) => expect.poll(site.state, site.patience).toMatchObject(state)

/** Calls the router as scripts of a page can. */
const route = (site: BrowserSite, method: string, ...values: readonly string[]) =>
  site.page.evaluate(`void window.next.router.${method}(...${JSON.stringify(values)})`)

/** From the desk to another page, in the same document. */
function follows(number: number, does: string, link: string, address: string, state: Partial<PageState>): Behaviour {
  return browser(number, does, async (site) => {
    await site.open(`${AT}/desk`)
    await site.page.click(link)
    await expectState(site, state)
    expect(site.address()).toBe(AT + address)
    expect(site.documents).toHaveLength(1)
  })
}

/** A page, loaded as a document, and what it knows of its address. */
function knows(number: number, does: string, address: string, state: Partial<PageState>): Behaviour {
  return browser(number, does, async (site) => {
    await site.open(AT + address)
    await expectState(site, state)
    expect(site.faults).toEqual([])
  })
}

/** An address that has the base path twice is loaded as a document, which is missing. */
function misses(number: number, does: string, from: string, go: BrowserRun): Behaviour {
  return browser(number, does, async (site) => {
    await site.open(AT + from)
    await go(site)
    await site.page.getByText(MISSING_SCREEN).first().waitFor()
    expect(site.address()).toBe(`${AT}${AT}/attic`)
    expect(site.documents).toHaveLength(2)
  })
}

const MISSING_SCREEN = 'This page could not be found'

export const browserBehaviours: readonly Behaviour[] = [
  browser(2, 'shows the screen of errors by another address', async (site) => {
    await site.open(`${AT}/finch`)
    await route(site, 'push', '/_error', '/sparrow')
    await site.page.getByText(MISSING_SCREEN).first().waitFor()
    expect(site.address()).toBe(`${AT}/sparrow`)
  }),
  browser(3, 'has its data after a visit to another site and back', async (site) => {
    await site.page.route('https://www.example.com/**', (to) => to.fulfill({ contentType: 'text/html', body: '<h1>Elsewhere</h1>' }))
    await site.open(`${AT}/abroad`)
    const before = await site.state()
    await site.page.click('#plain')
    await shows(site, 'Elsewhere')
    await site.page.goBack()
    await expectState(site, before)
  }),
  browser(4, 'knows query and fragment of its address', async (site) => {
    for (const [search, hash, query] of [
      ['', '#a?', {}],
      ['', '#?', {}],
      ['', '##', {}],
      ['', '##a?', {}],
      ['', '#a?b', {}],
      ['?a=b', '#c', { a: 'b' }],
      ['?a', '#c', { a: '' }],
      ['?a=', '#c', { a: '' }],
    ] as const) {
      await site.open(AT + search + hash)
      // A change of the fragment alone loads no document.
      await site.page.reload()
      await expectState(site, { pathname: '/', query })
      expect((await site.state()).query).toEqual(query)
      expect(site.address()).toBe(AT + search + hash)
    }
  }),
  browser(5, 'goes back and forward between pages with segments', async (site) => {
    const isAt = (part: string) => expectState(site, { pathname: '/shelves/[...parts]', query: { parts: [part] } })
    await site.open(AT)
    await shows(site, 'Library')
    await route(site, 'push', '/shelves/upper')
    await isAt('upper')
    await route(site, 'push', '/shelves/lower')
    await isAt('lower')
    await route(site, 'back')
    await isAt('upper')
    await site.page.goForward()
    await isAt('lower')
    expect(site.documents).toHaveLength(1)
  }),
  browser(8, 'loads the code of a page before it is needed, when asked to', async (site) => {
    const scripts = () => site.page.evaluate(`performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length`)
    await site.open(`${AT}/attic`)
    await site.page.waitForLoadState('networkidle')
    const before = (await scripts()) as number
    await route(site, 'prefetch', '/fresh')
    await expect.poll(scripts, site.patience).toBeGreaterThan(before)
  }),
  browser(9, 'needs no network for a link in view to a page with getStaticProps', async (site) => {
    await site.open(`${AT}/desk`)
    await site.page.locator('#kept').scrollIntoViewIfNeeded()
    await site.page.waitForLoadState('networkidle')
    await site.page.waitForTimeout(300)
    await site.page.context().setOffline(true)
    await site.page.click('#kept')
    await expectState(site, { pathname: '/kept', props: { book: 'atlas' } })
    expect(site.documents).toHaveLength(1)
  }),
  ...(
    [
      [24, 'outside of the base path', '/missing'],
      [25, 'that begins as the base path does', `${AT}ful`],
    ] as const
  ).map(([number, where, address]) =>
    browser(number, `keeps the address of a missing page ${where}`, async (site) => {
      await site.page.goto(site.origin + address)
      await site.page.getByText(MISSING_SCREEN).first().waitFor()
      await site.page.waitForLoadState('networkidle')
      expect(site.address()).toBe(address)
    }),
  ),
  knows(27, 'knows the parameter of its path after hydration', '/heron', { ...{ pathname: '/[name]', query: { name: 'heron' } } }),
  follows(28, 'follows a link to the index page', '#index', '', { ...{ pathname: '/', query: {}, props: { shelf: 'novels' } } }),
  browser(30, 'has a page in a folder with the name of the base path', async (site) => {
    expect(await site.text(`${AT}/library/inside`)).toContain('<h1>Inside</h1>')
    await site.open(`${AT}/desk`)
    await route(site, 'push', '/library/inside')
    await shows(site, 'Inside')
    expect(site.address()).toBe(`${AT}/library/inside`)
    expect(site.documents).toHaveLength(1)
  }),
  follows(31, 'follows a link to a page with a parameter', '#named', '/pigeon', { ...{ pathname: '/[name]', query: { name: 'pigeon' } } }),
  follows(32, 'follows a link to a fragment', '#fragment', '/desk#lamp', { pathname: '/desk' }),
  follows(33, 'follows a link to a page with segments', '#shelves', '/shelves/left/top', {
    ...{ pathname: '/shelves/[...parts]', query: { parts: ['left', 'top'] } },
  }),
  browser(36, 'leaves for another site', async (site) => {
    await site.page.route('https://www.example.com/**', (to) => to.fulfill({ contentType: 'text/html', body: '<h1>Elsewhere</h1>' }))
    await site.open(`${AT}/abroad`)
    await site.page.click('#other')
    await shows(site, 'Elsewhere')
    expect(site.page.url()).toBe('https://www.example.com/other')
  }),
  browser(37, 'follows an absolute URL of its own in the same document', async (site) => {
    await site.open(`${AT}/abroad`)
    await site.page.click('#own')
    await shows(site, 'Attic')
    expect(site.documents).toHaveLength(1)
  }),
  suite.inBrowser(
    38,
    'loads an absolute URL of its host outside of the base path',
    async (site) => {
      await withOtherHost(PORTS.browser, async () => {
        await site.open(`${AT}/abroad`)
        await site.page.click('#outside')
        await shows(site, 'Another host')
        expect(site.address()).toBe('/outer-rewrite-in-browser')
      })
    },
    { configuration: 'other-hosts' },
  ),
  misses(39, 'misses the page of a link that has the base path twice', '/abroad', (site) => site.page.click('#twice')),
  misses(40, 'misses a page that is pushed with the base path twice', '/desk', async (site) => {
    await route(site, 'push', `${AT}/attic`)
  }),
  misses(41, 'misses a page that replaces another with the base path twice', '/desk', async (site) => {
    await route(site, 'replace', `${AT}/attic`)
  }),
  knows(43, 'knows the path of the index page without the base path', '', { pathname: '/', asPath: '/' }),
  knows(44, 'knows the path of a page without the base path', '/desk', { pathname: '/desk', asPath: '/desk' }),
  follows(45, 'loads the data of getStaticProps without a document', '#kept', '/kept', { ...{ pathname: '/kept', props: { book: 'atlas' } } }),
  follows(46, 'loads the data of getServerSideProps without a document', '#fresh', '/fresh', {
    ...{ pathname: '/fresh', asPath: '/fresh', props: { paper: 'gazette' } },
  }),
  follows(52, 'follows a link without a document', '#attic', '/attic', { pathname: '/attic' }),
  browser(57, 'keeps the query of a page', (site) => keepsQuery(site, `${AT}/desk?open=yes`, '/desk')),
  browser(58, 'keeps the query of the index page', (site) => keepsQuery(site, `${AT}?open=yes`, '/')),
  browser(59, 'goes back and forward over two pages of one address', async (site) => {
    await returnsToMask(site, AT)
    expect(site.address()).toBe(`${AT}/desk`)
  }),
]
