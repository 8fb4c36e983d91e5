// Locales of paths, over HTTP: routes, files, handlers, rules and the root of the site.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../harness/other-host.ts'
import { DEFAULT, documentOf, expectLocale, inLocale, LOCALES, namesOf, overHttp } from './shared.ts'

const OTHERS = LOCALES.filter((locale) => locale !== DEFAULT)

const statusOf = async (site: HttpSite, path: string) => (await site.fetch(path)).status

async function locationOf(site: HttpSite, path: string, headers: Record<string, string> = {}) {
  const response = await site.fetch(path, { headers })
  const location = response.headers.get('location')
  return [response.status, location === null ? null : location.replace(site.origin, '')]
}

/** The address of a script, without the prefix of a locale. */
async function scriptOf(site: HttpSite): Promise<string> {
  const found = /"(\/_(?:next|portico)\/static\/[^"]+\.js)"/.exec(await site.text('/probe'))?.[1]
  if (!found) throw new Error('the page has no script')
  return found
}

const noScripts = async (site: HttpSite, locales: readonly string[]) => {
  const script = await scriptOf(site)
  for (const locale of locales) expect([locale, await statusOf(site, `/${locale}${script}`)]).toEqual([locale, 404])
}

export const http: readonly Behaviour[] = [
  overHttp(
    1,
    'has its pages below the base path only',
    async (site) => {
      for (const path of ['/libraryextra', '/en/library', '/libraryextra/en', '/libraryen'])
        expect([path, await statusOf(site, path)]).toEqual([path, 404])
    },
    { configuration: 'i18n-basepath' },
  ),
  overHttp(
    2,
    'serves no script of a page below the prefix of a locale',
    async (site) => {
      await noScripts(site, OTHERS)
      expect(await statusOf(site, `/${DEFAULT}${await scriptOf(site)}`)).toBe(200)
    },
    {
      differs: {
        reason: 'a hashed file has one address, also below the prefix of the default locale',
        run: (site: HttpSite) => noScripts(site, LOCALES),
      },
    },
  ),
  overHttp(4, 'serves public files without a prefix, and below that of the default locale only', async (site) => {
    const file = '/notices/today.txt'
    expect(await site.text(file)).toContain('No crossing')
    expect(await site.text(`/${DEFAULT}${file}`)).toContain('No crossing')
    for (const locale of OTHERS) expect([locale, await statusOf(site, `/${locale}${file}`)]).toEqual([locale, 404])
  }),
  overHttp(5, 'redirects to another host from each locale', async (site) => {
    for (const locale of LOCALES)
      expect(await locationOf(site, inLocale(locale, '/moved-abroad'))).toEqual([307, 'https://ferries.example/'])
  }),
  overHttp(7, 'ignores a cookie whose name begins like that of the locale', async (site) => {
    const { status, html } = await documentOf(site, '/', { cookie: 'NEXT_LOCALE2=nl' })
    expect([status, html.includes('id="state"')]).toEqual([200, true])
  }),
  {
    id: 'i18n-support-11',
    does: 'gives the shell of a page that is not rendered yet an empty query',
    configuration: 'i18n',
    via: 'http',
    async run(site) {
      expect((await site.stateOf(`/crossings/late-${Date.now()}`)).query).toEqual({})
    },
  },
  overHttp(23, 'shows the default locale at a path without a prefix, whatever the client prefers', async (site) => {
    const paths = {
      '/menu': '/menu',
      '/piers': '/piers',
      '/crossings/noon': '/crossings/[name]',
      '/lines/day': '/lines/[name]',
    }
    for (const [path, pathname] of Object.entries(paths)) {
      const { status, lang } = await documentOf(site, path, { 'accept-language': 'fr' })
      expect([path, status, lang]).toEqual([path, 200, DEFAULT])
      await expectLocale(site, path, DEFAULT, { pathname, asPath: path })
    }
  }),
  overHttp(27, 'serves a page with a parameter and without data in each locale', async (site) => {
    for (const locale of LOCALES)
      await expectLocale(site, `/${locale}/boats/heron`, locale, { pathname: '/boats/[name]' })
  }),
  overHttp(29, 'removes the slash at the end of a path with and without a prefix', async (site) => {
    for (const path of ['/heron', '/en', '/en/piers', '/fr', '/fr/piers'])
      expect(await locationOf(site, `${path}/`)).toEqual([308, path])
  }),
  overHttp(30, 'redirects in the locale of the path; a rule with `locale: false` names its locale', async (site) => {
    for (const [path, location] of [
      ['/en-US/moved-of-default', '/quay'],
      ['/nl/moved-of-nl', '/quay'],
      ['/moved', '/quay'],
      ['/en/moved', '/en/quay'],
      ['/nl-NL/moved', '/nl-NL/quay'],
      ['/moved-home', '/'],
      ['/nl/moved-home', '/nl'],
    ])
      expect([path, ...(await locationOf(site, path!))]).toEqual([path, 307, location])
    // The page of a dynamic path is there.
    for (const path of ['/en/moved-of-default', '/fr/moved-of-nl']) expect(await statusOf(site, path)).toBe(200)
  }),
  overHttp(31, 'adds headers in each locale; a rule with `locale: false` names its locale', async (site) => {
    for (const [path, value] of [
      ['/en-US/flag-of-default', 'up'],
      ['/en/flag-of-default', null],
      ['/nl/flag-of-nl', 'up'],
      ['/fr/flag-of-nl', null],
      ['/flag', 'up'],
      ['/en/flag', 'up'],
      ['/nl-NL/flag', 'up'],
    ] as const)
      expect([path, (await site.fetch(path)).headers.get('x-flag')]).toEqual([path, value])
  }),
  overHttp(32, 'has its API handlers without a prefix only', async (site) => {
    for (const locale of LOCALES) expect(await statusOf(site, `/${locale}/api/tide`)).toBe(404)
    expect(await (await site.fetch('/api/tide')).json()).toEqual({ tide: 'high', query: {} })
  }),
  overHttp(33, 'has API handlers with a parameter without a prefix only', async (site) => {
    for (const locale of LOCALES) expect(await statusOf(site, `/${locale}/api/boats/heron`)).toBe(404)
    expect(await (await site.fetch('/api/boats/heron')).json()).toEqual({ tide: 'high', query: { name: 'heron' } })
  }),
  overHttp(34, 'rewrites to an API handler in each locale', async (site) => {
    for (const locale of LOCALES) {
      const response = await site.fetch(inLocale(locale, '/tide.json'))
      expect(await response.json()).toEqual({ tide: 'high', query: {} })
    }
  }),
  overHttp(35, 'rewrites in the locale of the path, or to the locale that the rule names', async (site) => {
    await expectLocale(site, '/en-US/alias-of-default', DEFAULT, { pathname: '/piers', asPath: '/alias-of-default' })
    await expectLocale(site, '/nl/alias-of-nl', 'nl', { pathname: '/piers', asPath: '/alias-of-nl' })
    await expectLocale(site, '/fr/alias-in-nl', 'nl', { pathname: '/piers', asPath: '/alias-in-nl' })
    for (const locale of LOCALES)
      await expectLocale(site, `/${locale}/alias`, locale, { pathname: '/piers', asPath: '/alias' })
    await withOtherHost(PORTS.http, async (seen) => {
      for (const locale of LOCALES) expect(await site.text(`/${locale}/alias-abroad`)).toContain('Another host')
      expect(seen.map(({ url }) => url)).toEqual(LOCALES.map(() => '/'))
    })
  }),
  overHttp(44, 'prefers the cookie of a client to its languages', async (site) => {
    const headers = { 'accept-language': 'nl', cookie: 'NEXT_LOCALE=en-US' }
    expect(await documentOf(site, '/', headers)).toMatchObject({ status: 200, lang: DEFAULT })
  }),
  overHttp(50, 'gives shells the language of their locale', async (site) => {
    for (const locale of LOCALES)
      expect((await documentOf(site, `/${locale}/crossings/${Math.random()}`)).lang).toBe(locale)
  }),
  overHttp(51, 'renders pages without data in each locale', async (site) => {
    for (const locale of LOCALES) {
      await expectLocale(site, `/${locale}`, locale, { asPath: '/', pathname: '/' })
      await expectLocale(site, `/${locale}/freight`, locale, { asPath: '/freight', pathname: '/freight' })
    }
  }),
  overHttp(52, 'renders pages with getStaticProps in each locale, in any case of its prefix', async (site) => {
    for (const locale of LOCALES)
      for (const prefix of [locale, locale.toUpperCase()])
        await expectLocale(site, `/${prefix}/timetable`, locale, { asPath: '/timetable', props: namesOf(locale) })
  }),
  overHttp(61, 'keeps the prefix of the default locale', async (site) => {
    for (const path of ['/en-US', '/eN-Us'])
      expect(await documentOf(site, path, { 'accept-language': 'en-US;q=0.9' })).toMatchObject({
        status: 200,
        lang: DEFAULT,
      })
  }),
  overHttp(
    62,
    'gives the default locale to getStaticProps, with and without its prefix',
    async (site) => {
      for (const prefix of ['', `/${DEFAULT}`]) {
        await expectLocale(site, `${prefix}/timetable`, DEFAULT, { props: namesOf(DEFAULT) })
        const props = { ...namesOf(DEFAULT), params: { name: 'noon' } }
        await expectLocale(site, `${prefix}/crossings/noon`, DEFAULT, { query: { name: 'noon' }, props })
      }
    },
    { also: [63, 67, 68] },
  ),
  overHttp(65, 'redirects the root to the locale that the client prefers, with the query', async (site) => {
    expect(await locationOf(site, '/', { 'accept-language': 'nl-NL,nl;q=0.9,en-US;q=0.8' })).toEqual([307, '/nl-NL'])
    expect(await locationOf(site, '/?deck=2', { 'accept-language': 'en;q=0.9' })).toEqual([307, '/en?deck=2'])
  }),
  overHttp(66, 'shows the default locale at the root to clients that prefer none', async (site) => {
    for (const path of ['/', '/?deck=2']) await expectLocale(site, path, DEFAULT, { pathname: '/', query: {} })
  }),
  overHttp(75, 'shows the locale of the path to a client with the cookie of the same one', async (site) => {
    const { status, lang } = await documentOf(site, '/nl-NL/lines/night', { cookie: 'NEXT_LOCALE=nl-NL' })
    expect([status, lang]).toEqual([200, 'nl-NL'])
    const props = { ...namesOf('nl-NL'), params: { name: 'night' } }
    await expectLocale(site, '/nl-NL/lines/night', 'nl-NL', { query: { name: 'night' }, props })
  }),
  overHttp(
    70,
    'gives the locale of the path to getServerSideProps',
    async (site) => {
      for (const [path, locale] of [
        ['/tickets', DEFAULT],
        ['/en-US/tickets', DEFAULT],
        ['/nl-NL/tickets', 'nl-NL'],
      ])
        await expectLocale(site, path!, locale!, { query: {}, props: { ...namesOf(locale!), query: {} } })
    },
    { also: [76] },
  ),
  overHttp(77, 'gives locale and parameters to getServerSideProps', async (site) => {
    for (const locale of [DEFAULT, 'nl-NL']) {
      const props = { ...namesOf(locale), params: { number: 'first' } }
      await expectLocale(site, `/${locale}/tickets/first`, locale, { query: { number: 'first' }, props })
    }
  }),
]
