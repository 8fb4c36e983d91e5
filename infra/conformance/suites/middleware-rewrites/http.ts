// Rewrites of middleware, over HTTP; those of paths with a locale in a site with locales.

import { request } from 'node:http'
import { expect } from 'vitest'
import { type Behaviour, behavioursOf, type HttpSite, type PageState } from '../../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../../harness/other-host.ts'
import { readState } from '../../harness/site.ts'

const AT = '/middleware-rewrites'
const OUTSIDE = '<h1>Another host</h1>'
const { overHttp } = behavioursOf('middleware-rewrites')
const plain = { configuration: 'middleware' } as const
const LOCALES = { '': 'en', '/fr': 'fr' }

/** With the prefix of each locale. */
function inLocales(number: number, does: string, run: (site: HttpSite, prefix: string) => Promise<void>): Behaviour {
  const runAll = async (site: HttpSite) => {
    for (const prefix of Object.keys(LOCALES)) await run(site, prefix + AT)
  }
  return overHttp(number, does, runAll, { configuration: 'middleware-locales' })
}

/** The page of a path has the state, in each locale. */
const shows = (number: number, does: string, path: string, state: Partial<PageState>) =>
  inLocales(number, does, async (site, at) => {
    expect(await site.stateOf(at + path)).toMatchObject({ asPath: AT + path, ...state })
  })

const colon = (name: string, query: object = {}) => ({ props: { params: { name }, query: { name, ...query } } })

async function echoes(site: HttpSite, path: string) {
  const body = JSON.stringify({ hello: 'there' })
  await withOtherHost(PORTS.http, async () => {
    const response = await site.fetch(AT + path, { method: 'POST', body })
    expect([response.status, await response.text()]).toEqual([200, body])
  })
}

const dataOf = (site: HttpSite, path: string, locale = '') => {
  const [pathname, search = ''] = path.split('?')
  const address = `/_next/data/${site.buildId}${locale}${AT}${pathname}.json?${search}`
  return site.fetch(address, { headers: { 'x-nextjs-data': '1' } })
}

/** The data of a page that middleware rewrites to another host. */
const hasOutsideData = (site: HttpSite, check: (response: Response) => Promise<void>) =>
  withOtherHost(PORTS.http, async () => check(await dataOf(site, `/about?outside=${PORTS.http}`)))

/** The document for a Host header, which fetch does not send. */
function textForHost(site: HttpSite, path: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(site.origin + path, { headers: { host } }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve(text)
    })
    sent.on('error', reject).end()
  })
}

const withLocales: readonly Behaviour[] = [
  overHttp(
    22,
    'keeps the locale of the path in a rewrite',
    async (site) => {
      const { props } = await site.stateOf(`/fr${AT}/land?name=spain`)
      expect(props).toEqual({ params: { name: 'spain' }, locale: 'fr' })
    },
    { configuration: 'middleware-locales' },
  ),
  overHttp(
    23,
    'rewrites to another locale',
    async (site) => {
      expect((await site.stateOf(`${AT}/land?in=fr`)).props).toEqual({ params: { name: 'own' }, locale: 'fr' })
    },
    { configuration: 'middleware-locales' },
  ),
  inLocales(25, 'has links to each locale, and its data', async (site, at) => {
    const html = await site.text(`${at}/tongue`)
    const hrefs = ['to-fr', 'to-en', 'written-fr'].map((id) => /href="([^"]*)"/.exec(new RegExp(`<a [^>]*id="${id}"[^>]*>`).exec(html)?.[0] ?? '')?.[1])
    expect(hrefs).toEqual([`/fr${AT}/tongue`, `${AT}/tongue`, `/fr${AT}/tongue`])
    const locale = at.startsWith('/fr') ? 'fr' : 'en'
    expect((await site.stateOf(`${at}/tongue`)).props).toEqual({ tongue: locale })
    const data = await (await dataOf(site, '/tongue', `/${locale}`)).json()
    expect(data).toMatchObject({ pageProps: { tongue: locale } })
  }),
  inLocales(32, 'sets one cookie with a rewrite to a page of choice', async (site, at) => {
    const response = await site.fetch(`${at}/test`)
    const cookies = response.headers.getSetCookie()
    expect([response.status, cookies.length]).toEqual([200, 1])
    const [, group] = /^group=(a|b);/.exec(cookies[0] ?? '') ?? []
    expect(readState(await response.text())).toMatchObject({ asPath: `${AT}/test`, props: { params: { group } } })
  }),
  inLocales(33, 'removes parts of the query in a rewrite', async (site, at) => {
    expect((await site.stateOf(`${at}/kept-query?a=1&kept=yes&b=2`)).props).toEqual({ query: { kept: 'yes' } })
  }),
  shows(34, 'rewrites to another page', '/renamed', { pathname: `${AT}/about`, props: { page: 'about' } }),
  shows(35, 'has a colon in the path of a page', '/with:one', colon('with:one')),
  shows(36, 'rewrites to a path with a colon', '/to-colon', colon('with:colon')),
  shows(37, 'rewrites from a path with a colon', '/colon:here', colon('without-colon')),
  shows(38, 'keeps the query in a rewrite from a path with a colon', '/colon:here?own=yes', colon('without-colon', { own: 'yes' })),
  shows(39, 'keeps the query in a rewrite to a path with a colon', '/to-colon?own=yes', colon('with:colon', { own: 'yes' })),
  inLocales(40, 'rewrites for another host of the site', async (site, at) => {
    expect(readState(await textForHost(site, `${at}/renamed`, 'garden.example')).props).toEqual({ page: 'about' })
  }),
  inLocales(41, 'rewrites to another host', async (site, at) => {
    await withOtherHost(PORTS.http, async () => expect(await site.text(`${at}/outside`)).toBe(OUTSIDE))
  }),
]

const others: readonly Behaviour[] = [
  overHttp(2, 'sends a body with a rewrite of the configuration to another host', (site) => echoes(site, '/rule-outside'), plain),
  overHttp(3, 'sends a body with a rewrite of middleware to another host', (site) => echoes(site, `/outside/${PORTS.http}`), plain),
  overHttp(
    13,
    'has the HTML and the data of pages that the build has rendered, and of others',
    async (site) => {
      for (const slug of ['first', 'built', 'first']) {
        expect((await site.stateOf(`${AT}/posts/${slug}`)).props).toEqual({ params: { slug } })
        expect(await (await dataOf(site, `/posts/${slug}`)).json()).toMatchObject({ pageProps: { params: { slug } } })
      }
    },
    plain,
  ),
  overHttp(
    15,
    'has the data of the page of a rewrite at the address of the rewritten page',
    async (site) => {
      expect(await (await dataOf(site, '/about?inside=yes')).json()).toMatchObject({ pageProps: { group: 'a' } })
    },
    plain,
  ),
  {
    ...overHttp(
      17,
      'responds to a request for page data with what another host sends',
      (site) => hasOutsideData(site, async (response) => expect(await response.text()).toBe(OUTSIDE)),
      plain,
    ),
    differs: {
      reason: 'another host has no page data: the client loads the document',
      run: (site: HttpSite) => hasOutsideData(site, async ({ status }) => expect(status).toBe(404)),
    },
  },
  overHttp(45, 'writes no error of a connection to the log', async (site) => expect(site.log().join('\n')).not.toMatch(/unhandledRejection|ECONNRESET/), plain),
]

export const http = [...withLocales, ...others]
