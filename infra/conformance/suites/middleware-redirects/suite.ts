// The suite of redirects of middleware.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, HttpSite, Run } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/middleware-redirects'
const ABROAD = 'http://abroad.invalid/home'

const inBrowser = (number: number, does: string, run: Run<BrowserSite>): Behaviour & { via: 'browser' } => ({
  id: `middleware-redirects-${number}`,
  does,
  via: 'browser',
  configuration: 'middleware',
  run,
})

const overHttp = (number: number, does: string, run: Run<HttpSite>): Behaviour & { via: 'http' } => ({
  id: `middleware-redirects-${number}`,
  does,
  via: 'http',
  configuration: 'middleware',
  run,
})

/** Loads a document, which ends at the page `home`. */
const leadsHome = (number: number, does: string, path: string, end = '/home') =>
  inBrowser(number, does, async (site) => {
    await site.open(AT + path)
    expect(site.address()).toBe(AT + end)
    await expect.poll(site.state, site.patience).toMatchObject({ pathname: `${AT}/home` })
  })

async function redirectsLink(site: BrowserSite) {
  await site.open(AT)
  await site.page.click('#former')
  await expect.poll(site.address, site.patience).toBe(`${AT}/home`)
  await expect.poll(site.state, site.patience).toMatchObject({ pathname: `${AT}/home` })
  expect(site.documents).toHaveLength(1)
}

const dataOf = (site: HttpSite, search: string) => site.fetch(`/_next/data/${site.buildId}${AT}/former.json${search}`, { headers: { 'x-nextjs-data': '1' } })

export const middlewareRedirects: Suite = {
  name: 'middleware-redirects',
  source: upstream('test/e2e/middleware-redirects/test/index.test.ts'),
  tests: 11,
  rows: {},
  behaviours: [
    inBrowser(1, 'lets redirects of the configuration work next to middleware', async (site) => {
      await site.open(AT)
      await site.page.evaluate(`void next.router.push('${AT}/to-new')`)
      await expect.poll(site.state, site.patience).toMatchObject({ props: { params: { room: 'new' } } })
    }),
    overHttp(2, 'adds nothing to the address of a redirect', async (site) => {
      const { headers } = await site.fetch(`${AT}/former`)
      expect(new URL(headers.get('location') ?? '', site.origin).pathname).toBe(`${AT}/home`)
    }),
    overHttp(3, 'names the target of a redirect in a header of page data', async (site) => {
      const { headers } = await dataOf(site, '?inside=1')
      expect([headers.get('x-nextjs-redirect'), headers.get('location')]).toEqual([`${AT}/home?inside=1`, null])
    }),
    inBrowser(4, 'leaves the site with a redirect of page data', async (site) => {
      const { headers } = await dataOf(site, '?abroad=1')
      expect([headers.get('x-nextjs-redirect'), headers.get('location')]).toEqual([ABROAD, null])
      await site.open(AT)
      await site.page.click('#abroad')
      await expect.poll(() => site.documents.at(-1), site.patience).toBe(ABROAD)
    }),
    leadsHome(5, 'redirects a document', '/former'),
    inBrowser(6, 'redirects a link without a document', redirectsLink),
    leadsHome(7, 'removes a part of the query in a redirect', '/empty?token=one'),
    leadsHome(8, 'redirects from one address to the next', '/hop-1'),
    overHttp(9, 'lets the client find an endless circle', async (site) => {
      await expect(fetch(`${site.origin}${AT}/left`)).rejects.toThrow()
    }),
    inBrowser(10, 'redirects a link to a handler', async (site) => {
      await site.open(AT)
      await site.page.click('#handler')
      await expect.poll(site.address, site.patience).toBe('/api/middleware-redirects/ok')
      await site.page.getByText('all is well').waitFor()
    }),
    leadsHome(11, 'redirects to a part of a page', '/to-part', '/home#part'),
  ],
}
