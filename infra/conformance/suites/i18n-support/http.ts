// Locales of paths, over HTTP: routes, files, handlers, rules and the root of the site.

import { expect } from 'vitest'
import type { HttpSite, PageState } from '../../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../../harness/other-host.ts'
import { type Exchange, expectResponse, responses } from '../../harness/responses.ts'
import { DEFAULT, documentOf, inLocale, LOCALES, namesOf, overHttp } from './shared.ts'

const OTHERS = LOCALES.filter((locale) => locale !== DEFAULT)

/** A path with the prefix of each locale. */
const below = (locales: readonly string[], path: string) => locales.map((locale) => `/${locale}${path}`)

/** The document of a path has the language of a locale, and its page knows the locale. */
const page = (path: string, locale: string, state: Partial<PageState>): Exchange => ({ path, lang: locale, state: { ...namesOf(locale), ...state } })

const redirect = (path: string, status: number, location: string, headers: Record<string, string> = {}): Exchange => ({
  ...{ path, status, location },
  request: { headers },
})

const languages = (header: string) => ({ request: { headers: { 'accept-language': header } } })
const cookie = (header: string) => ({ request: { headers: { cookie: header } } })
const flag = (path: string, value: string | null): Exchange => ({ path, headers: { 'x-flag': value } })
const TIDE = { json: { tide: 'high', query: {} } }

const rows = responses(
  'i18n-support',
  {
    '1 has its pages below the base path only': {
      configuration: 'i18n-basepath',
      path: ['/libraryextra', '/en/library', '/libraryextra/en', '/libraryen'],
      status: 404,
    },
    '4 serves public files without a prefix, and below that of the default locale only': {
      requests: [
        { path: ['/notices/today.txt', `/${DEFAULT}/notices/today.txt`], text: 'No crossing' },
        { path: below(OTHERS, '/notices/today.txt'), status: 404 },
      ],
    },
    '5 redirects to another host from each locale': {
      path: LOCALES.map((locale) => inLocale(locale, '/moved-abroad')),
      status: 307,
      location: 'https://ferries.example/',
    },
    '7 ignores a cookie whose name begins like that of the locale': { path: '/', ...cookie('NEXT_LOCALE2=nl'), status: 200, text: 'id="state"' },
    '11 gives the shell of a page that is not rendered yet an empty query': { path: `/crossings/late-${Date.now()}`, query: {} },
    '23 shows the default locale at a path without a prefix, whatever the client prefers': {
      requests: Object.entries({ '/menu': '/menu', '/piers': '/piers', '/crossings/noon': '/crossings/[name]', '/lines/day': '/lines/[name]' }).flatMap(
        ([path, pathname]) => [{ path, ...languages('fr'), status: 200, lang: DEFAULT }, page(path, DEFAULT, { pathname, asPath: path })],
      ),
    },
    '27 serves a page with a parameter and without data in each locale': {
      requests: LOCALES.map((locale) => page(`/${locale}/boats/heron`, locale, { pathname: '/boats/[name]' })),
    },
    '29 removes the slash at the end of a path with and without a prefix': {
      requests: ['/heron', '/en', '/en/piers', '/fr', '/fr/piers'].map((path) => redirect(`${path}/`, 308, path)),
    },
    '30 redirects in the locale of the path; a rule with `locale: false` names its locale': {
      requests: [
        redirect('/en-US/moved-of-default', 307, '/quay'),
        redirect('/nl/moved-of-nl', 307, '/quay'),
        redirect('/moved', 307, '/quay'),
        redirect('/en/moved', 307, '/en/quay'),
        redirect('/nl-NL/moved', 307, '/nl-NL/quay'),
        redirect('/moved-home', 307, '/'),
        redirect('/nl/moved-home', 307, '/nl'),
        // The page of a dynamic path is there.
        { path: ['/en/moved-of-default', '/fr/moved-of-nl'], status: 200 },
      ],
    },
    '31 adds headers in each locale; a rule with `locale: false` names its locale': {
      requests: [
        flag('/en-US/flag-of-default', 'up'),
        flag('/en/flag-of-default', null),
        flag('/nl/flag-of-nl', 'up'),
        flag('/fr/flag-of-nl', null),
        flag('/flag', 'up'),
        flag('/en/flag', 'up'),
        flag('/nl-NL/flag', 'up'),
      ],
    },
    '32 has its API handlers without a prefix only': {
      requests: [
        { path: below(LOCALES, '/api/tide'), status: 404 },
        { path: '/api/tide', ...TIDE },
      ],
    },
    '33 has API handlers with a parameter without a prefix only': {
      requests: [
        { path: below(LOCALES, '/api/boats/heron'), status: 404 },
        { path: '/api/boats/heron', json: { tide: 'high', query: { name: 'heron' } } },
      ],
    },
    '34 rewrites to an API handler in each locale': { path: LOCALES.map((locale) => inLocale(locale, '/tide.json')), ...TIDE },
    '44 prefers the cookie of a client to its languages': {
      path: '/',
      request: { headers: { 'accept-language': 'nl', cookie: 'NEXT_LOCALE=en-US' } },
      status: 200,
      lang: DEFAULT,
    },
    '51 renders pages without data in each locale': {
      requests: LOCALES.flatMap((locale) => [
        page(`/${locale}`, locale, { asPath: '/', pathname: '/' }),
        page(`/${locale}/freight`, locale, { asPath: '/freight', pathname: '/freight' }),
      ]),
    },
    '52 renders pages with getStaticProps in each locale, in any case of its prefix': {
      requests: LOCALES.flatMap((locale) =>
        [locale, locale.toUpperCase()].map((prefix) => page(`/${prefix}/timetable`, locale, { asPath: '/timetable', props: namesOf(locale) })),
      ),
    },
    '61 keeps the prefix of the default locale': { path: ['/en-US', '/eN-Us'], ...languages('en-US;q=0.9'), status: 200, lang: DEFAULT },
    '62 gives the default locale to getStaticProps, with and without its prefix': {
      also: [63, 67, 68],
      requests: ['', `/${DEFAULT}`].flatMap((prefix) => [
        page(`${prefix}/timetable`, DEFAULT, { props: namesOf(DEFAULT) }),
        page(`${prefix}/crossings/noon`, DEFAULT, { query: { name: 'noon' }, props: { ...namesOf(DEFAULT), params: { name: 'noon' } } }),
      ]),
    },
    '65 redirects the root to the locale that the client prefers, with the query': {
      requests: [
        redirect('/', 307, '/nl-NL', { 'accept-language': 'nl-NL,nl;q=0.9,en-US;q=0.8' }),
        redirect('/?deck=2', 307, '/en?deck=2', { 'accept-language': 'en;q=0.9' }),
      ],
    },
    '66 shows the default locale at the root to clients that prefer none': {
      requests: ['/', '/?deck=2'].map((path) => page(path, DEFAULT, { pathname: '/', query: {} })),
    },
    '75 shows the locale of the path to a client with the cookie of the same one': {
      requests: [
        { path: '/nl-NL/lines/night', ...cookie('NEXT_LOCALE=nl-NL'), status: 200, lang: 'nl-NL' },
        page('/nl-NL/lines/night', 'nl-NL', { query: { name: 'night' }, props: { ...namesOf('nl-NL'), params: { name: 'night' } } }),
      ],
    },
    '70 gives the locale of the path to getServerSideProps': {
      also: [76],
      requests: Object.entries({ '/tickets': DEFAULT, '/en-US/tickets': DEFAULT, '/nl-NL/tickets': 'nl-NL' }).map(([path, locale]) =>
        page(path, locale, { query: {}, props: { ...namesOf(locale), query: {} } }),
      ),
    },
    '77 gives locale and parameters to getServerSideProps': {
      requests: [DEFAULT, 'nl-NL'].map((locale) =>
        page(`/${locale}/tickets/first`, locale, { query: { number: 'first' }, props: { ...namesOf(locale), params: { number: 'first' } } }),
      ),
    },
  },
  { configuration: 'i18n' },
)

/** The address of a script, without the prefix of a locale. */
async function scriptOf(site: HttpSite): Promise<string> {
  const found = /"(\/_(?:next|portico)\/static\/[^"]+\.js)"/.exec(await site.text('/probe'))?.[1]
  if (!found) throw new Error('the page has no script')
  return found
}

const noScripts = async (site: HttpSite, locales: readonly string[]) => expectResponse(site, { path: below(locales, await scriptOf(site)), status: 404 })

export const http = [
  ...rows,
  overHttp(
    2,
    'serves no script of a page below the prefix of a locale',
    async (site) => {
      await noScripts(site, OTHERS)
      await expectResponse(site, { path: `/${DEFAULT}${await scriptOf(site)}`, status: 200 })
    },
    { differs: { reason: 'a hashed file has one address, also below the prefix of the default locale', run: (site: HttpSite) => noScripts(site, LOCALES) } },
  ),
  overHttp(35, 'rewrites in the locale of the path, or to the locale that the rule names', async (site) => {
    const pathname = '/piers'
    await expectResponse(site, page('/en-US/alias-of-default', DEFAULT, { pathname, asPath: '/alias-of-default' }))
    await expectResponse(site, page('/nl/alias-of-nl', 'nl', { pathname, asPath: '/alias-of-nl' }))
    await expectResponse(site, page('/fr/alias-in-nl', 'nl', { pathname, asPath: '/alias-in-nl' }))
    for (const locale of LOCALES) await expectResponse(site, page(`/${locale}/alias`, locale, { pathname, asPath: '/alias' }))
    await withOtherHost(PORTS.http, async (seen) => {
      await expectResponse(site, { path: below(LOCALES, '/alias-abroad'), text: 'Another host' })
      expect(seen.map(({ url }) => url)).toEqual(LOCALES.map(() => '/'))
    })
  }),
  overHttp(50, 'gives shells the language of their locale', async (site) => {
    for (const locale of LOCALES) expect((await documentOf(site, `/${locale}/crossings/${Math.random()}`)).lang).toBe(locale)
  }),
]
