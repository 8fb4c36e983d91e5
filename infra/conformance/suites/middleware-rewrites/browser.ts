// Rewrites of middleware, in a browser.

import { expect } from 'vitest'
import { type BrowserBehaviour, type BrowserSite, behavioursOf, type PageState, type Run } from '../../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../../harness/other-host.ts'

const AT = '/middleware-rewrites'
const behaviours = behavioursOf('middleware-rewrites')

const inBrowser = (number: number, does: string, run: Run<BrowserSite>, also: readonly number[] = []): BrowserBehaviour =>
  behaviours.inBrowser(number, does, run, { configuration: 'middleware', also })

const shows = (site: BrowserSite, state: Partial<PageState>) => expect.poll(site.state, site.patience).toMatchObject(state)

const push = (site: BrowserSite, path: string, options = '{}') => site.page.evaluate(`void next.router.push('${AT}${path}', undefined, ${options})`)

/** Paths of the requests from the one with this number on. */
const requestsOf = ({ requests }: BrowserSite, first = 0) => requests.slice(first).map((url) => new URL(url).pathname)

const GROUP_A = { pathname: `${AT}/ab/a`, props: { group: 'a' } }
const POST = `${AT}/posts/[slug]`
const ofPost = (slug: string, query = {}) => ({ pathname: POST, query: { slug, ...query } })

/** Follows a link of the first page, and remains in its document. */
async function follows(site: BrowserSite, link: string, state: Partial<PageState>) {
  await site.open(AT)
  await site.page.click(`#${link}`)
  await shows(site, state)
  expect(site.documents).toHaveLength(1)
}

/** The document of a path and the link to it show the same page. */
const rewritten = (number: number, does: string, link: string, path: string, state: Partial<PageState>) =>
  inBrowser(number, does, async (site) => {
    expect(await site.stateOf(AT + path)).toMatchObject(state)
    await follows(site, link, state)
    expect(site.address()).toBe(AT + path)
  })

async function choosesTwo(site: BrowserSite) {
  await site.page.click('#choice')
  await shows(site, { props: { params: { id: '2' } } })
  expect(site.documents).toHaveLength(1)
}

const documents: readonly BrowserBehaviour[] = [
  inBrowser(4, 'has the parameters of a page of the build at the address of a rewrite', async (site) => {
    const path = `${AT}/to-still-post`
    await site.open(path)
    await shows(site, { pathname: `${AT}/stills/[slug]`, asPath: path, query: { slug: 'one' } })
  }),
  inBrowser(5, 'has the parameters of a rule at a page of the build', async (site) => {
    const path = `${AT}/rule-still/two`
    await site.open(path)
    await expect.poll(async () => (await site.state()).query, site.patience).toEqual({ word: 'two' })
    await shows(site, { pathname: `${AT}/still`, asPath: path })
  }),
  inBrowser(6, 'requests page data at most once for a document that was rewritten', async (site) => {
    await site.open(`${AT}/to-post/first`)
    await shows(site, ofPost('first'))
    expect(requestsOf(site).filter((path) => path.endsWith('/posts/first.json')).length).toBeLessThan(2)
  }),
  inBrowser(18, 'rewrites to a page that is rendered when it is first requested', async (site) => {
    // No run has made these pages before.
    const slug = `new-${Date.now()}`
    expect(await site.text(`${AT}/to-post/${slug}-first`)).toContain('id="waits"')
    await site.open(`${AT}/to-post/${slug}`)
    await shows(site, { props: { params: { slug } } })
  }),
  inBrowser(28, 'has the parameters and the query of an address', async (site) => {
    const path = `${AT}/posts/first?hello=there`
    await site.open(path)
    await expect.poll(async () => (await site.state()).query, site.patience).toEqual({ slug: 'first', hello: 'there' })
    expect(site.address()).toBe(path)
  }),
  inBrowser(44, 'rewrites a document to a dynamic page without a fault', async (site) => {
    await site.open(`${AT}/to-parts`)
    expect((await site.state()).props).toEqual({ page: 'parts' })
    expect(site.faults).toEqual([])
  }),
]

const links: readonly BrowserBehaviour[] = [
  inBrowser(1, 'follows a link to a rule of all paths below one, requested before the click', async (site) => {
    await site.open(AT)
    await site.page.hover('#article')
    await expect.poll(() => requestsOf(site).some((path) => path.includes('article')), site.patience).toBe(true)
    await site.page.click('#article')
    await expect.poll(async () => (await site.state()).query, site.patience).toEqual({ slug: ['one', 'two', '3'] })
  }),
  rewritten(14, 'rewrites to another page of the site', 'inside', '/about?inside=yes', GROUP_A),
  inBrowser(16, 'loads a document of another host', async (site) => {
    const path = `${AT}/about?outside=${PORTS.browser}`
    await withOtherHost(PORTS.browser, async () => {
      expect(await site.text(path)).toContain('Another host')
      await site.open(AT)
      await site.page.click('#outside')
      await site.page.getByRole('heading', { name: 'Another host' }).waitFor()
      expect(site.address()).toBe(path)
    })
  }),
  inBrowser(19, 'rewrites a link by a cookie that the page has received later', async (site) => {
    await site.open(AT)
    await site.page.context().addCookies([{ name: 'other-about', value: '1', url: site.origin }])
    await site.page.click('#unseen')
    await shows(site, { props: { page: 'about-other', query: { word: 'seen', from: 'middleware' } } })
    expect(site.documents).toHaveLength(1)
  }),
  {
    ...inBrowser(20, 'runs middleware again for a link whose prefetch no client may keep', async (site) => {
      const prefetched: string[] = []
      site.page.on('response', (response) => {
        if (response.request().headers().purpose === 'prefetch') prefetched.push(new URL(response.url()).pathname)
      })
      await site.open(AT)
      await site.page.hover('#choice')
      await expect.poll(() => prefetched.some((path) => path.includes('/choices/1')), site.patience).toBe(true)
      await choosesTwo(site)
    }),
    differs: {
      reason: 'no header distinguishes a prefetch: middleware decides about the page',
      run: async (site: BrowserSite) => {
        await site.open(AT)
        await choosesTwo(site)
      },
    },
  },
  inBrowser(21, 'requests the data of a page of the build before a click', async (site) => {
    await site.open(AT)
    await expect.poll(() => requestsOf(site).some((path) => path.endsWith('/still.json')), site.patience).toBe(true)
  }),
  rewritten(24, 'takes a page of a rewrite for the last one', 'renamed', '/renamed?inside=yes', { pathname: `${AT}/about` }),
  rewritten(26, 'rewrites to a rule before files', 'before', '/to-before', GROUP_A),
  rewritten(27, 'rewrites to a rule after files', 'after', '/to-after', { props: { group: 'b' } }),
  inBrowser(42, 'follows a link to the page of a rewrite', async (site) => {
    const query = { word: 'seen', from: 'middleware' }
    await follows(site, 'unseen', { pathname: `${AT}/about`, props: { page: 'about', query } })
  }),
]

const histories: readonly BrowserBehaviour[] = [
  inBrowser(7, 'has the parameters of each page after a step back', async (site) => {
    await site.open(`${AT}/name-1`)
    const own = { pathname: `${AT}/[name]`, query: { name: 'name-1' }, asPath: `${AT}/name-1` }
    await shows(site, own)
    await push(site, '/posts/first')
    await shows(site, { ...ofPost('first'), asPath: `${AT}/posts/first` })
    await site.page.goBack()
    await shows(site, own)
  }),
  inBrowser(8, 'has the props of a page of the build at the address of a rule', async (site) => {
    const props = { params: { slug: 'first' } }
    await site.open(AT)
    await push(site, '/after-post')
    await shows(site, { pathname: POST, props })
    expect(await site.stateOf(`${AT}/after-post`)).toMatchObject({ pathname: POST, props })
  }),
  inBrowser(9, 'loads the document of a path without a page', async (site) => {
    await site.open(AT)
    await push(site, '/gone/some/path')
    await site.page.getByText('This page could not be found').first().waitFor()
    expect(site.address()).toBe(`${AT}/gone/some/path`)
    expect(site.documents).toHaveLength(2)
  }),
  inBrowser(
    11,
    'shows the page of a rewrite after a reload and steps back and forward',
    async (site) => {
      await site.open(AT)
      await site.page.click('#inside')
      await shows(site, GROUP_A)
      await site.page.reload()
      await site.page.waitForFunction('window.next?.router?.isReady')
      await site.page.goBack()
      await site.page.waitForSelector('#inside')
      await site.page.goForward()
      await shows(site, GROUP_A)
    },
    [12],
  ),
  inBrowser(31, 'follows a rewrite of one path of a dynamic page only', async (site) => {
    await site.open(`${AT}/posts/first`)
    const before = site.requests.length
    await shows(site, ofPost('first'))
    await push(site, '/posts/rewritten')
    await shows(site, { pathname: `${AT}/about`, query: {}, asPath: `${AT}/posts/rewritten` })
    expect(requestsOf(site, before).some((path) => path.endsWith('/posts/rewritten.json'))).toBe(true)
    await push(site, '/posts/built')
    await shows(site, ofPost('built'))
    expect(site.address()).toBe(`${AT}/posts/built`)
  }),
]

const shallow: readonly BrowserBehaviour[] = [
  inBrowser(29, 'changes the query of a page without a request', async (site) => {
    await site.open(`${AT}/about`)
    const before = site.requests.length
    for (const [search, query] of [
      ['?hello=there', { hello: 'there' }],
      ['', {}],
    ] as const) {
      await push(site, `/about${search}`, '{ shallow: true }')
      await expect.poll(async () => (await site.state()).query, site.patience).toEqual(query)
      expect(await site.state()).toMatchObject({ pathname: `${AT}/about`, asPath: `${AT}/about${search}` })
    }
    expect(requestsOf(site, before).filter((path) => path.endsWith('.json'))).toEqual([])
  }),
  inBrowser(30, 'changes the query and the parameters of a dynamic page', async (site) => {
    await site.open(`${AT}/posts/first`)
    await site.page.click('#with-query')
    await shows(site, { ...ofPost('first', { hello: 'there' }), asPath: `${AT}/posts/first?hello=there` })
    await site.page.click('#second')
    await shows(site, { ...ofPost('second'), asPath: `${AT}/posts/second` })
    expect(site.address()).toBe(`${AT}/posts/second`)
  }),
  inBrowser(43, 'leaves the page as it is for a shallow push that middleware would rewrite', async (site) => {
    await site.open(AT)
    await site.page.click('#shallow')
    await shows(site, { pathname: AT, query: { path: 'unseen', word: 'seen' }, props: { page: 'index' } })
  }),
]

export const browser = [...documents, ...links, ...histories, ...shallow]
