// Locales next to a base path, a page for every path and rewrites, in a browser: its site costs one start less.

import { expect } from 'vitest'
import type { BrowserBehaviour, BrowserSite, PageState } from '../../harness/behaviour.ts'
import type { ConfigurationName } from '../../harness/configurations.ts'
import { DEFAULT, documentOf, expectShown, inLocale, LOCALES, namesOf, push } from '../i18n-support/shared.ts'

type More = Pick<BrowserBehaviour, 'also'>

const inSite =
  (suite: string, configuration: ConfigurationName) =>
  (number: number, does: string, run: (site: BrowserSite) => Promise<void>, more: More = {}): BrowserBehaviour => {
    return { id: `${suite}-${number}`, does, via: 'browser', configuration, run, ...more }
  }

const inBase = inSite('i18n-support-base-path', 'i18n-basepath')
const inRoot = inSite('i18n-support-catchall', 'i18n-root')
const inFallback = inSite('i18n-support-fallback-rewrite', 'i18n-basepath')
const inIndex = inSite('i18n-support-index-rewrite', 'i18n-index')

const BASE = '/library'

/** The page for every path, at a path in a locale. */
const rootState = (locale: string, ...path: string[]): Partial<PageState> => ({
  pathname: '/[[...path]]',
  asPath: `/${path.join('/')}`,
  props: { ...namesOf(locale), params: path.length > 0 ? { path } : {} },
})

async function followsAndReturns(site: BrowserSite, locale: string, ...path: string[]) {
  await site.open('/')
  await site.page.click(`#to-${locale}-${path.join('/')}`)
  await expectShown(site, inLocale(locale, `/${path.join('/')}`), locale, rootState(locale, ...path))
  await site.page.goBack()
  await expectShown(site, '/', DEFAULT, rootState(DEFAULT))
}

/** A page has its own route at a prefix, with a query and without. */
async function keepsRoute(site: BrowserSite, path: string, state: Partial<PageState>) {
  for (const [prefix, search, query] of [
    ['', '', {}],
    ['/fr', '?tide=high', { tide: 'high' }],
  ] as const) {
    await site.page.goto('about:blank')
    await site.open((BASE + prefix + path).replace(/\/$/, '') + search)
    await expect.poll(() => site.page.evaluate('next.router.isReady'), site.patience).toBe(true)
    const shown = { ...state, asPath: path + search, query: { ...state.query, ...query } }
    await expect.poll(site.state, site.patience).toMatchObject(shown)
  }
}

const office = (locale: string) => ({ props: { locale, params: { path: ['harbour', 'office'] } } })

export const browser: readonly BrowserBehaviour[] = [
  inBase(2, 'does not look at the languages of a client where this is off', async (site) => {
    const document = await documentOf(site, BASE, { 'accept-language': 'fr' })
    expect(document).toMatchObject({ status: 200, lang: DEFAULT })
  }),
  inBase(3, 'has the locale of the path', async (site) => {
    for (const locale of LOCALES) {
      const headers = { 'accept-language': 'en-US,en;q=0.9' }
      expect(await documentOf(site, `${BASE}/${locale}`, headers)).toMatchObject({ status: 200, lang: locale })
      expect(await site.stateOf(`${BASE}/${locale}`)).toMatchObject({ ...namesOf(locale), pathname: '/', asPath: '/' })
    }
  }),
  inRoot(2, 'has the root in the HTML', async (site) => {
    expect(await site.stateOf('/')).toMatchObject({ ...namesOf(DEFAULT), ...rootState(DEFAULT) })
  }),
  inRoot(3, 'hydrates the root', async (site) => {
    await site.open('/')
    await expectShown(site, '/', DEFAULT, rootState(DEFAULT))
  }),
  inRoot(4, 'navigates to the root of another locale and back', (site) => followsAndReturns(site, 'nl-NL')),
  inRoot(5, 'navigates to a path in another locale and back', (site) => followsAndReturns(site, 'nl-NL', 'lock')),
  inRoot(6, 'fetches the data of links in each locale before they are followed', async (site) => {
    await site.open('/en/pier')
    const links = ['en-US', 'nl-NL', 'fr'].flatMap((locale) => [`#to-${locale}-`, `#to-${locale}-lock`])
    for (const link of links) await site.page.hover(link)
    const paths = () => new Set(site.requests.flatMap((url) => /\/data\/[^/]+\/(.+)\.json/.exec(url)?.[1] ?? []))
    await expect.poll(() => paths().size, site.patience).toBe(links.length)
  }),
  inFallback(1, 'leaves the first page to its route where a rewrite matches each path', (site) => keepsRoute(site, '/', { pathname: '/', query: {} })),
  inFallback(2, 'leaves a page with a parameter to its route where a rewrite matches each path', (site) =>
    keepsRoute(site, '/boats/heron', { pathname: '/boats/[name]', query: { name: 'heron' } }),
  ),
  inIndex(1, 'rewrites the root of each locale', async (site) => {
    for (const locale of LOCALES) expect(await site.stateOf(inLocale(locale, '/'))).toMatchObject(office(locale))
  }),
  inIndex(2, 'rewrites the root of each locale for the router', async (site) => {
    for (const locale of LOCALES) {
      await site.page.goto('about:blank')
      await site.open(inLocale(locale, '/probe'))
      const documents = site.documents.length
      await push(site, '/')
      await expect.poll(site.state, site.patience).toMatchObject(office(locale))
      expect(site.documents).toHaveLength(documents)
    }
  }),
]
