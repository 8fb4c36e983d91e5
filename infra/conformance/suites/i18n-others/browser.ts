// Redirects of data functions to another locale, and fragments, in a browser.

import { expect } from 'vitest'
import type { BrowserBehaviour, BrowserSite } from '../../harness/behaviour.ts'
import { DEFAULT, namesOf } from '../i18n-support/shared.ts'

const common = { via: 'browser', configuration: 'i18n' } as const
const PAGES = ['sent', 'sent-later', 'sent-once']

/** The browser shows the page to which the others redirect. */
async function arrives(site: BrowserSite, locale: string) {
  await expect.poll(site.address, site.patience).toBe(`/${locale}/piers`)
  await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf(locale), pathname: '/piers', asPath: '/piers', props: namesOf(locale) })
}

/** From documents, and by links. `to` is the segment that names the target. */
async function redirected(site: BrowserSite, from: string, to: string, locale: string, byLink: boolean) {
  for (const page of PAGES) {
    await site.page.goto('about:blank')
    if (!byLink) await site.page.goto(`${site.origin}/${from}/${page}/${to}`)
    else {
      await site.open(`/${from}/departures`)
      await site.page.click(`#${page}-${to}`)
    }
    await arrives(site, locale)
  }
}

function redirects(number: number, does: string, byLink: boolean, cases: readonly (readonly string[])[]): BrowserBehaviour {
  return {
    id: `i18n-data-fetching-redirect-${number}`,
    does,
    ...common,
    async run(site) {
      for (const [from, to, locale] of cases) await redirected(site, from!, to!, locale!, byLink)
    },
  }
}

const OTHER = [
  ['nl', 'fr', 'fr'],
  ['fr', 'nl', 'nl'],
]
const OWN = [
  ['nl', 'own', 'nl'],
  ['fr', 'own', 'fr'],
]

/** Changes the locale at a fragment, there and back. */
async function switches(site: BrowserSite, path: string) {
  await site.open(`${path}#stern`)
  for (const locale of ['fr', DEFAULT]) {
    await site.page.click('#switch')
    await expect.poll(site.address, site.patience).toBe(`${locale === 'fr' ? '/fr' : ''}${path}#stern`)
    await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf(locale), props: { locale } })
  }
  expect(site.documents).toHaveLength(1)
}

export const browser: readonly BrowserBehaviour[] = [
  redirects(2, 'redirects documents to another locale', false, OTHER),
  redirects(3, 'redirects navigations to another locale', true, OTHER),
  redirects(4, 'redirects documents within a locale', false, OWN),
  redirects(5, 'redirects navigations within a locale', true, OWN),
  { id: 'i18n-same-page-hash-1', does: 'loads the page of another locale at the same fragment', ...common, run: (site) => switches(site, '/berths') },
  {
    id: 'i18n-same-page-hash-2',
    does: 'loads the page of another locale at the same fragment, with a parameter',
    ...common,
    run: (site) => switches(site, '/berths/seven'),
  },
  {
    id: 'i18n-same-page-hash-3',
    does: 'reports a change of the fragment',
    ...common,
    async run(site) {
      await site.open('/berths#bow')
      await site.page.evaluate(`window.seen = []
        for (const name of ['hashChangeStart', 'hashChangeComplete'])
          next.router.events.on(name, () => window.seen.push(name))`)
      await site.page.click('#fragment')
      await expect.poll(site.address, site.patience).toBe('/berths#stern')
      await expect.poll(() => site.page.evaluate('window.seen'), site.patience).toEqual(['hashChangeStart', 'hashChangeComplete'])
    },
  },
]
