// Locales of paths in a browser: links, the router, history, and the screen of pages that are not there.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite } from '../../harness/behaviour.ts'
import { DEFAULT, expectShown, inBrowser, inLocale, LOCALES, namesOf, push } from './shared.ts'

const PIERS = { pathname: '/piers', asPath: '/piers', query: {} }
const NOON = { pathname: '/crossings/[name]', asPath: '/crossings/noon', query: { name: 'noon' } }

/** Opens a page, follows a link, and goes through history in both directions. */
async function there(site: BrowserSite, from: readonly [path: string, locale: string, asPath: string], link: string, to: Parameters<typeof expectShown>) {
  const [path, locale, asPath] = from
  await site.open(path)
  await expectShown(site, path, locale, { asPath })
  await site.page.click(`#to-${link}`)
  await expectShown(...to)
  await site.page.goBack()
  await expectShown(site, path, locale, { asPath })
  await site.page.goForward()
  await expectShown(...to)
}

/** The screen of pages that are not there, with its data. */
const missing = (site: BrowserSite, locale: string) =>
  expect
    .poll(async () => [await site.page.locator('h1').textContent(), (await site.state()).props], site.patience)
    .toEqual(['No such pier', { locale, isMissing: true }])

export const browser: readonly Behaviour[] = [
  inBrowser(
    8,
    'goes back to the root of a locale with its query or its fragment',
    async (site) => {
      for (const rest of ['?deck=2', '#lower']) {
        const query = rest === '?deck=2' ? { deck: '2' } : {}
        await site.page.goto('about:blank')
        await site.open(`/fr${rest}`)
        await site.page.click('#to-piers')
        await expect.poll(site.address, site.patience).toBe('/fr/piers')
        await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf('fr'), ...PIERS })
        await site.page.goBack()
        await expect.poll(site.address, site.patience).toBe(`/fr${rest}`)
        await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf('fr'), pathname: '/', query })
      }
    },
    { also: [9] },
  ),
  inBrowser(10, 'goes back to an address that has the locale in another case', async (site) => {
    await there(site, ['/FR/piers', 'fr', '/piers'], 'tickets', [site, '/fr/tickets', 'fr', { pathname: '/tickets' }])
  }),
  inBrowser(12, 'follows the router to a page in the default locale', async (site) => {
    await site.open('/')
    await push(site, '/developments')
    await expectShown(site, '/developments', DEFAULT, { pathname: '/developments', asPath: '/developments', query: {} })
  }),
  inBrowser(17, 'changes the locale of the page, and goes through history with a query', async (site) => {
    await site.open('/')
    await push(site, '/', '/', { locale: 'nl' })
    await expectShown(site, '/nl', 'nl', { pathname: '/', asPath: '/' })
    await push(site, '/tickets?seat=1')
    const props = { ...namesOf('nl'), query: { seat: '1' } }
    await expectShown(site, '/nl/tickets?seat=1', 'nl', { pathname: '/tickets', props })
    await site.page.goBack()
    await expectShown(site, '/nl', 'nl', { pathname: '/' })
    await site.page.goForward()
    await expectShown(site, '/nl/tickets?seat=1', 'nl', { pathname: '/tickets', props })
  }),
  inBrowser(19, 'finds the page of a path with a parameter in a locale', async (site) => {
    await site.open('/nl')
    await push(site, '/quay-1?a=b')
    const state = { pathname: '/[pier]', asPath: '/quay-1?a=b', query: { pier: 'quay-1', a: 'b' } }
    await expectShown(site, '/nl/quay-1?a=b', 'nl', state)
    await site.page.goBack()
    await expectShown(site, '/nl', 'nl', { pathname: '/', query: {} })
  }),
  inBrowser(20, 'links with `locale={false}` to the default locale where the path has no prefix', async (site) => {
    await site.open('/nl/written?to=fr')
    expect(await site.page.locator('#to-default').getAttribute('href')).toBe('/timetable')
    await site.page.click('#to-default')
    await expectShown(site, '/timetable', DEFAULT, { props: namesOf(DEFAULT) })
  }),
  inBrowser(22, 'has the data of each locale', async (site) => {
    for (const locale of ['nl-NL', 'fr']) {
      await site.page.goto('about:blank')
      await site.open(`/written?to=${locale}`)
      await expect.poll(() => site.page.locator('#to-timetable').getAttribute('href'), site.patience).toBe(`/${locale}/timetable`)
      await site.page.click('#to-timetable')
      await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf(locale), props: namesOf(locale) })
    }
  }),
  inBrowser(24, 'hydrates an address with an empty fragment', async (site) => {
    await site.open('/en#')
    await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf('en'), pathname: '/' })
    expect(await site.page.locator('html').getAttribute('lang')).toBe('en')
    expect(site.faults).toEqual([])
  }),
  inBrowser(28, 'follows a link to a page with a parameter and without data', async (site) => {
    for (const locale of [DEFAULT, 'nl']) {
      await site.page.goto('about:blank')
      await site.open(`/${locale}`)
      await site.page.click('#to-heron')
      await expect.poll(site.address, site.patience).toBe(inLocale(locale, '/boats/heron'))
      const heron = { pathname: '/boats/[name]', asPath: '/boats/heron', query: { name: 'heron' } }
      await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf(locale), ...heron })
      await site.page.goBack()
      await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf(locale), pathname: '/', asPath: '/' })
    }
  }),
  inBrowser(36, 'links to another locale by the prop `locale`', async (site) => {
    await there(site, ['/menu?to=fr', DEFAULT, '/menu?to=fr'], 'piers', [site, '/fr/piers', 'fr', PIERS])
  }),
  inBrowser(37, 'links to data of another locale by the prop `locale`', async (site) => {
    await there(site, ['/menu?to=nl', DEFAULT, '/menu?to=nl'], 'noon', [site, '/nl/crossings/noon', 'nl', NOON])
  }),
  inBrowser(38, 'links with `locale={false}` to the locale that the path has', async (site) => {
    await there(site, ['/written?to=fr', DEFAULT, '/written?to=fr'], 'piers', [site, '/fr/piers', 'fr', PIERS])
  }),
  inBrowser(39, 'links with `locale={false}` to data of the locale that the path has', async (site) => {
    await there(site, ['/written?to=nl', DEFAULT, '/written?to=nl'], 'noon', [site, '/nl/crossings/noon', 'nl', NOON])
  }),
  inBrowser(40, 'shows the path without the prefix, in any case of it', async (site) => {
    for (const prefix of ['en', 'En']) {
      await site.page.goto('about:blank')
      await site.open(`/${prefix}`)
      await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf('en'), asPath: '/', pathname: '/' })
      expect(await site.page.locator('html').getAttribute('lang')).toBe('en')
    }
  }),
  inBrowser(
    41,
    'renders a page at its first request in its locale, and keeps it',
    async (site) => {
      for (const locale of ['en', 'nl-NL']) {
        const name = `at-${Date.now()}`
        const path = `/${locale}/crossings/${name}`
        await site.page.goto('about:blank')
        await site.open(path)
        const props = { ...namesOf(locale), params: { name } }
        await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf(locale), query: { name }, props })
        await expect.poll(() => site.stateOf(path), site.patience).toMatchObject({ ...namesOf(locale), props })
        expect(await site.page.locator('html').getAttribute('lang')).toBe(locale)
      }
    },
    { also: [64, 69, 72] },
  ),
  inBrowser(54, 'shows the screen of missing pages in the locale of the path', async (site) => {
    for (const locale of LOCALES) {
      const isMissing = locale === 'en' || locale === 'nl'
      expect([locale, (await site.fetch(`/${locale}/closed`)).status]).toEqual([locale, isMissing ? 404 : 200])
    }
    await site.open('/nl/closed')
    await missing(site, 'nl')
    expect([site.address(), await site.page.locator('html').getAttribute('lang')]).toEqual(['/nl/closed', 'nl'])
  }),
  inBrowser(55, 'finds a page whose name begins like a locale', async (site) => {
    await site.open('/fr')
    await push(site, '/freight')
    await expectShown(site, '/fr/freight', 'fr', { pathname: '/freight', asPath: '/freight', query: {} })
  }),
  inBrowser(
    56,
    'shows the screen of missing pages with its data after a navigation',
    async (site) => {
      for (const path of ['/closed', '/closed/first', '/shut/first']) {
        await site.page.goto('about:blank')
        await site.open('/en')
        await push(site, path)
        await missing(site, 'en')
        expect(site.address()).toBe(`/en${path}`)
      }
    },
    { also: [57, 59] },
  ),
  inBrowser(
    58,
    'shows the screen of missing pages where getStaticPaths allows the path and getStaticProps does not',
    async (site) => {
      for (const path of ['/en/closed/first', '/en/shut/first']) {
        await site.page.goto(site.origin + path)
        await missing(site, 'en')
        expect([site.address(), await site.page.locator('html').getAttribute('lang')]).toEqual([path, 'en'])
      }
    },
    { also: [60] },
  ),
  inBrowser(71, 'follows links of the default locale without a prefix', async (site) => {
    await site.open('/')
    for (const [link, path, props] of [
      ['piers', '/piers', namesOf(DEFAULT)],
      ['home', '/', {}],
      ['timetable', '/timetable', namesOf(DEFAULT)],
      ['home', '/', {}],
    ] as const) {
      await site.page.click(`#to-${link}`)
      await expectShown(site, path, DEFAULT, { pathname: path, asPath: path, query: {}, props })
    }
  }),
  inBrowser(
    73,
    'shows the paths that getStaticPaths lists for a locale',
    async (site) => {
      for (const [locale, name] of [
        [DEFAULT, 'day'],
        ['nl-NL', 'night'],
      ] as const) {
        await site.page.goto('about:blank')
        await site.open(`/${locale}/lines/${name}`)
        const props = { ...namesOf(locale), params: { name } }
        await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf(locale), query: { name }, props })
        expect(await site.page.locator('html').getAttribute('lang')).toBe(locale)
      }
      expect((await site.fetch('/fr/lines/day')).status).toBe(404)
    },
    { also: [74] },
  ),
  inBrowser(
    78,
    'follows links within a locale, and goes back',
    async (site) => {
      await site.open('/en')
      for (const [link, path] of [
        ['piers', '/piers'],
        ['timetable', '/timetable'],
      ]) {
        await site.page.click(`#to-${link}`)
        await expectShown(site, `/en${path}`, 'en', { pathname: path!, asPath: path!, query: {}, props: namesOf('en') })
        await site.page.goBack()
        await expectShown(site, '/en', 'en', { pathname: '/', asPath: '/' })
      }
      await push(site, '/cargo?weight=1')
      // In the browser Next.js has the prefix in it, and not in that of the router.
      const asPath = expect.stringMatching(/^(\/en)?\/cargo\?weight=1$/)
      const props = { ...namesOf('en'), asPath, by: 'browser' }
      await expectShown(site, '/en/cargo?weight=1', 'en', { pathname: '/cargo', asPath: '/cargo?weight=1', props })
    },
    { also: [79] },
  ),
]
