// Middleware, in a browser.

import { expect } from 'vitest'
import type { BrowserSite, PageState } from '../../harness/behaviour.ts'
import { AT, type At, type PlacedBehaviour } from './place.ts'

type Placed = PlacedBehaviour<BrowserSite>

const push = (site: BrowserSite, path: string) => site.page.evaluate(`void next.router.push('${AT}${path}')`)

const shows = (site: BrowserSite, state: Partial<PageState>) => expect.poll(site.state, site.patience).toMatchObject(state)

/** Pushes an address from another page. */
function pushes(number: number, does: string, path: string, state: Partial<PageState>): Placed {
  return {
    number,
    does,
    async run(site, at) {
      await site.open(at('/start'))
      await push(site, path)
      await shows(site, { asPath: at(path), ...state })
    },
  }
}

const POST = `${AT}/posts/[slug]`
const INSTEAD = { pathname: `${AT}/served-instead`, props: { text: 'shown instead' } }

async function showsKept(site: BrowserSite, at: At, query: PageState['query']) {
  await site.open(at('/to-kept'))
  await expect.poll(async () => (await site.state()).query, site.patience).toEqual(query)
  const state = { pathname: `${AT}/kept/[slug]`, asPath: at('/to-kept'), props: { params: { slug: 'hello' } } }
  await shows(site, state)
}

export const browser: readonly Placed[] = [
  {
    number: 2,
    does: 'shows the screen of missing pages after a push, and after a reload',
    async run(site, at) {
      await site.open(at('/served'))
      await push(site, '/kept/missing-1')
      const heading = site.page.getByText('This page could not be found')
      await heading.first().waitFor()
      await site.page.reload()
      await heading.first().waitFor()
    },
  },
  {
    number: 12,
    does: 'adds the query of a rewrite to a page that is the same for all',
    run: (site, at) => showsKept(site, at, { from: 'middleware', slug: 'hello' }),
  },
  {
    number: 13,
    does: 'has the parameters of each page that a push leads to',
    async run(site, at) {
      await site.open(at('/start'))
      for (const slug of ['first', 'second']) {
        await push(site, `/posts/${slug}`)
        await shows(site, { pathname: POST, asPath: at(`/posts/${slug}`), query: { slug }, props: { params: { slug } } })
      }
    },
  },
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
  pushes(17, 'has the query of a rewrite of the configuration to another page', '/rule-1', { ...INSTEAD, query: { from: 'rule' } }),
  {
    number: 18,
    does: 'redirects a document and a push to the same address',
    async run(site, at) {
      const { status, headers } = await site.fetch(at('/moved'))
      const target = at('/somewhere/else')
      expect([status, new URL(headers.get('location') ?? '', site.origin).pathname]).toEqual([307, target])
      await site.open(at('/start'))
      await push(site, '/moved')
      await expect.poll(site.address, site.patience).toBe(target)
    },
  },
  {
    number: 19,
    does: 'rewrites a document and a push to the same page',
    async run(site, at) {
      expect(await site.stateOf(at('/rule-1'))).toMatchObject(INSTEAD)
      await site.open(at('/start'))
      await push(site, '/rule-1')
      await shows(site, INSTEAD)
      expect(site.documents).toHaveLength(1)
    },
  },
  {
    number: 20,
    does: 'rewrites to a page without data',
    async run(site, at) {
      const plain = { pathname: `${AT}/plain/a`, props: { page: 'a' } }
      expect(await site.stateOf(at('/rule-2'))).toMatchObject(plain)
      await site.open(at('/start'))
      await push(site, '/rule-2')
      await shows(site, plain)
    },
  },
  {
    number: 42,
    does: 'loads the document where middleware has no data for a push',
    async run(site, at) {
      await site.open(at('/start'))
      await push(site, '/fails-as-data')
      await shows(site, { pathname: `${AT}/fails-as-data`, props: { text: 'loaded as a document' } })
      expect(site.documents).toHaveLength(2)
    },
  },
  {
    number: 43,
    does: 'requests nothing for a shallow change of a rewritten address',
    async run(site, at) {
      await site.open(at('/short'))
      const first = (await site.state()).props
      const before = site.requests.length
      await site.page.click('#there')
      await shows(site, { query: { hello: 'there' } })
      const { props } = await site.state()
      expect(props).not.toEqual(first)
      await site.page.click('#again')
      await shows(site, { query: { hello: 'again' }, props })
      const requested = site.requests.slice(before)
      expect(requested.filter((url) => url.includes('hello=there'))).toHaveLength(1)
      expect(requested.filter((url) => url.includes('hello=again'))).toEqual([])
    },
  },
]
