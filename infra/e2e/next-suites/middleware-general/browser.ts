// Middleware, in a browser.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, PageState, Run } from '../harness/behaviour.ts'

const AT = '/middleware-general'

function inBrowser(number: number, does: string, run: Run<BrowserSite>): Behaviour & { via: 'browser' } {
  return { id: `middleware-general-${number}`, does, via: 'browser', configuration: 'middleware', run }
}

const push = (site: BrowserSite, path: string) => site.page.evaluate(`void next.router.push('${AT}${path}')`)

const shows = (site: BrowserSite, state: Partial<PageState>) =>
  expect.poll(site.state, site.patience).toMatchObject(state)

/** Pushes an address from another page. */
function pushes(number: number, does: string, path: string, state: Partial<PageState>): Behaviour {
  return inBrowser(number, does, async (site) => {
    await site.open(`${AT}/start`)
    await push(site, path)
    await shows(site, { asPath: AT + path, ...state })
  })
}

const POST = `${AT}/posts/[slug]`
const INSTEAD = { pathname: `${AT}/served-instead`, props: { text: 'shown instead' } }

const OTHER_ADDRESS = 'the router loads an address that is no path of a page as a document'

async function rewritesBoth(site: BrowserSite, documents: number) {
  expect(await site.stateOf(`${AT}/rule-1`)).toMatchObject(INSTEAD)
  await site.open(`${AT}/start`)
  await push(site, '/rule-1')
  await shows(site, INSTEAD)
  expect(site.documents).toHaveLength(documents)
}

export const browser: readonly Behaviour[] = [
  inBrowser(2, 'shows the screen of missing pages after a push, and after a reload', async (site) => {
    await site.open(`${AT}/served`)
    await push(site, '/kept/missing-1')
    const heading = site.page.getByText('This page could not be found')
    await heading.first().waitFor()
    await site.page.reload()
    await heading.first().waitFor()
  }),
  {
    ...inBrowser(12, 'adds the query of a rewrite to a page that is the same for all', async (site) => {
      await site.open(`${AT}/to-kept`)
      const query = { from: 'middleware', slug: 'hello' }
      await shows(site, { pathname: `${AT}/kept/[slug]`, asPath: `${AT}/to-kept`, query })
      expect(await site.state()).toMatchObject({ props: { params: { slug: 'hello' } } })
    }),
    differs: {
      reason: 'such a page has its parameters, and the query of the address',
      async run(site: BrowserSite) {
        await site.open(`${AT}/to-kept`)
        await shows(site, { pathname: `${AT}/kept/[slug]`, asPath: `${AT}/to-kept`, query: { slug: 'hello' } })
        expect(await site.state()).toMatchObject({ props: { params: { slug: 'hello' } } })
      },
    },
  },
  inBrowser(13, 'has the parameters of each page that a push leads to', async (site) => {
    await site.open(`${AT}/start`)
    for (const slug of ['first', 'second']) {
      await push(site, `/posts/${slug}`)
      await shows(site, { pathname: POST, asPath: `${AT}/posts/${slug}`, query: { slug }, props: { params: { slug } } })
    }
  }),
  pushes(14, 'has the parameters of a rewrite to a dynamic page', '/to-post', {
    pathname: POST,
    query: { slug: 'of-middleware', some: 'middleware' },
    props: { params: { slug: 'of-middleware' } },
  }),
  pushes(15, 'follows a rewrite of middleware with one of the configuration', '/to-rule', {
    pathname: POST,
    query: { slug: 'of-rule', hello: 'rule', some: 'middleware' },
    props: { params: { slug: 'of-rule' } },
  }),
  pushes(16, 'has the parameters of a rewrite of the configuration to a dynamic page', '/rule-3', {
    pathname: POST,
    query: { slug: 'of-rule', hello: 'rule' },
    props: { params: { slug: 'of-rule' } },
  }),
  pushes(17, 'has the query of a rewrite of the configuration to another page', '/rule-1', {
    ...INSTEAD,
    query: { from: 'rule' },
  }),
  inBrowser(18, 'redirects a document and a push to the same address', async (site) => {
    const { status, headers } = await site.fetch(`${AT}/moved`)
    const target = `${AT}/somewhere/else`
    expect([status, new URL(headers.get('location') ?? '', site.origin).pathname]).toEqual([307, target])
    await site.open(`${AT}/start`)
    await push(site, '/moved')
    await expect.poll(site.address, site.patience).toBe(target)
  }),
  {
    ...inBrowser(19, 'rewrites a document and a push to the same page', (site) => rewritesBoth(site, 1)),
    differs: { reason: OTHER_ADDRESS, run: (site: BrowserSite) => rewritesBoth(site, 2) },
  },
  inBrowser(20, 'rewrites to a page without data', async (site) => {
    const plain = { pathname: `${AT}/plain/a`, props: { page: 'a' } }
    expect(await site.stateOf(`${AT}/rule-2`)).toMatchObject(plain)
    await site.open(`${AT}/start`)
    await push(site, '/rule-2')
    await shows(site, plain)
  }),
  inBrowser(42, 'loads the document where middleware has no data for a push', async (site) => {
    await site.open(`${AT}/start`)
    await push(site, '/fails-as-data')
    await shows(site, { pathname: `${AT}/fails-as-data`, props: { text: 'loaded as a document' } })
    expect(site.documents).toHaveLength(2)
  }),
  inBrowser(43, 'requests nothing for a shallow change of a rewritten address', async (site) => {
    await site.open(`${AT}/short`)
    const first = (await site.state()).props
    const requested: string[] = []
    site.page.on('request', (request) => requested.push(request.url()))
    await site.page.click('#there')
    await shows(site, { query: { hello: 'there' } })
    const { props } = await site.state()
    expect(props).not.toEqual(first)
    await site.page.click('#again')
    await shows(site, { query: { hello: 'again' }, props })
    expect(requested.filter((url) => url.includes('hello=there'))).toHaveLength(1)
    expect(requested.filter((url) => url.includes('hello=again'))).toEqual([])
    site.page.removeAllListeners('request')
  }),
]
