// The suite of the paths that middleware names.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, HttpSite, Run } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import type { ConfigurationName } from '../../harness/configurations.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const suite = behavioursOf('middleware-matcher')

const AT = '/middleware-matcher'

type Options = { also?: readonly number[]; configuration?: ConfigurationName }

function overHttp(number: number, does: string, run: Run<HttpSite>, options: Options = {}) {
  const behaviour: Behaviour = { id: `middleware-matcher-${number}`, does, via: 'http', configuration: 'middleware', ...options, run }
  return behaviour
}

const isMatched = async (site: HttpSite, path: string, init?: RequestInit) => (await site.fetch(path, init)).headers.get('x-matched') === 'yes'

const AS_DATA: RequestInit = { headers: { 'x-nextjs-data': '1' } }

/** The address of page data. */
const dataAt = ({ buildId }: HttpSite, path: string, base = '') => `${base}/_next/data/${buildId}${path}.json`

type RunBelow = (site: HttpSite, base: string) => Promise<void>

/** A behaviour of a site with locales, with a base path and without. */
function withLocales(number: number, does: string, run: RunBelow, differs?: { reason: string; run: RunBelow }) {
  const below = (base: string) => ({
    run: (site: HttpSite) => run(site, base),
    ...(differs && { differs: { ...differs, run: (site: HttpSite) => differs.run(site, base) } }),
  })
  return [
    { ...overHttp(number, does, below('').run, { configuration: 'middleware-locales' }), ...below('') },
    { ...overHttp(number + 4, `${does}, below a base path`, below('/library').run, { configuration: 'middleware-locales-basepath' }), ...below('/library') },
  ]
}

const localeAt = async (site: HttpSite, path: string) => {
  const { headers } = await site.fetch(path)
  return (JSON.parse(headers.get('x-asked') ?? '{}') as { locale?: string }).locale
}

async function navigates(site: BrowserSite) {
  await site.open('/')
  const shows = (props: object) => expect.poll(site.state, site.patience).toMatchObject({ props })
  await site.page.click('#guarded')
  await shows({ text: 'guarded' })
  for (const name of ['one', 'two']) {
    await site.page.click(`#${name}`)
    await shows({ params: { name } })
  }
  expect(site.documents).toHaveLength(1)
}

export const middlewareMatcher: Suite = {
  name: 'middleware-matcher',
  source: upstream('test/e2e/middleware-matcher/index.test.ts'),
  tests: 27,
  rows: { 8: notApplicable('a variable in which its client keeps the paths') },
  behaviours: [
    overHttp(1, 'runs for the root', async (site) => expect(await isMatched(site, '/')).toBe(true), { also: [16] }),
    overHttp(
      2,
      'runs for a path and for a path below it',
      async (site) => {
        expect(await isMatched(site, `${AT}/guarded`)).toBe(true)
        expect(await isMatched(site, `${AT}/guarded/one`)).toBe(true)
      },
      { also: [5, 12] },
    ),
    overHttp(
      3,
      'runs for the data of a path, with the header of the router',
      async (site) => {
        expect(await isMatched(site, dataAt(site, `${AT}/guarded`), AS_DATA)).toBe(true)
        expect(await isMatched(site, dataAt(site, `${AT}/guarded/one`), AS_DATA)).toBe(true)
      },
      { also: [6, 13] },
    ),
    overHttp(
      4,
      'runs for the data of a path, without that header',
      async (site) => {
        expect(await isMatched(site, dataAt(site, `${AT}/guarded`))).toBe(true)
        expect((await site.data(`${AT}/guarded`)).pageProps).toEqual({ text: 'guarded' })
      },
      { also: [14] },
    ),
    overHttp(
      7,
      'runs for the data of the root',
      async (site) => {
        expect(await isMatched(site, dataAt(site, '/index'), AS_DATA)).toBe(true)
        expect(await isMatched(site, dataAt(site, '/index'))).toBe(true)
        expect((await site.data('/index')).pageProps).toEqual({ text: 'root' })
      },
      { also: [18, 19] },
    ),
    suite.inBrowser(9, 'lets the client navigate between matched pages', navigates, { configuration: 'middleware' }),
    overHttp(
      10,
      'does not run for another path and its data',
      async (site) => {
        expect(await site.stateOf(`${AT}/open`)).toMatchObject({ props: { text: 'open' } })
        expect(await isMatched(site, `${AT}/open`)).toBe(false)
        expect(await isMatched(site, dataAt(site, `${AT}/open`), AS_DATA)).toBe(false)
      },
      { also: [11, 15] },
    ),
    suite.overHttp(17, 'runs for /index as for the root', async (site: HttpSite) => expect(await isMatched(site, '/index')).toBe(true), {
      configuration: 'middleware',
      differs: {
        reason: '/index is a path of its own, without a page',
        async run(site: HttpSite) {
          expect(await isMatched(site, '/index')).toBe(false)
          expect((await site.fetch('/index')).status).toBe(404)
        },
      },
    }),
    ...withLocales(20, 'runs for the root of each locale', async (site, base) => {
      expect(await localeAt(site, base || '/')).toBe('en')
      expect(await localeAt(site, `${base}/fr`)).toBe('fr')
    }),
    ...withLocales(
      21,
      'runs for /index of each locale',
      async (site, base) => {
        expect(await localeAt(site, `${base}/index`)).toBe('en')
        expect(await localeAt(site, `${base}/fr/index`)).toBe('fr')
      },
      {
        reason: '/index is a path of its own, without a page',
        async run(site, base) {
          for (const prefix of [base, `${base}/fr`]) {
            expect(await localeAt(site, `${prefix}/index`)).toBe(undefined)
            expect((await site.fetch(`${prefix}/index`)).status).toBe(404)
          }
        },
      },
    ),
    ...withLocales(22, 'runs for the data of the root of each locale', async (site, base) => {
      for (const locale of ['en', 'fr']) expect(await localeAt(site, dataAt(site, `/${locale}`, base))).toBe(locale)
    }),
    ...withLocales(23, 'does not run for another path', async (site, base) => {
      expect(await localeAt(site, `${base}/open`)).toBe(undefined)
      expect((await site.fetch(`${base}/open`)).status).toBe(200)
    }),
  ],
}
