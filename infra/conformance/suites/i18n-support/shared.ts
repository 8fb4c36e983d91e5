// What the behaviours of locales share.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, HttpSite, PageState, Run } from '../../harness/behaviour.ts'

export const DEFAULT = 'en-US'
/** In the order of the router: the default locale is the first one. */
export const LOCALES = [DEFAULT, 'nl-NL', 'nl', 'fr', 'en']

/** What data functions and routers know of a locale. */
export const namesOf = (locale: string) => ({ locale, locales: LOCALES, defaultLocale: DEFAULT })

/** The address of a page in a locale. */
export const inLocale = (locale: string, path: string) => (locale === DEFAULT ? path : `/${locale}${path === '/' ? '' : path}`)

const common = { configuration: 'i18n' } as const

export function overHttp(number: number, does: string, run: Run<HttpSite>, more: Partial<Behaviour> = {}): Behaviour {
  return { id: `i18n-support-${number}`, does, via: 'http', ...common, run, ...more } as Behaviour
}

export function inBrowser(number: number, does: string, run: Run<BrowserSite>, more: Partial<Behaviour> = {}): Behaviour {
  return { id: `i18n-support-${number}`, does, via: 'browser', ...common, run, ...more } as Behaviour
}

/** The document of a path: its status, its language and the state of its page. */
export async function documentOf(site: HttpSite, path: string, headers: Record<string, string> = {}) {
  const response = await site.fetch(path, { headers })
  const html = await response.text()
  const lang = /<html[^>]* lang="([^"]*)"/.exec(html)?.[1]
  return { status: response.status, lang, html }
}

/** The browser shows a page in a locale, and still has its first document. */
export async function expectShown(site: BrowserSite, address: string, locale: string, state: Partial<PageState>) {
  await expect.poll(site.address, site.patience).toBe(address)
  await expect.poll(site.state, site.patience).toMatchObject({ ...namesOf(locale), ...state })
  await expect.poll(() => site.page.locator('html').getAttribute('lang'), site.patience).toBe(locale)
  expect(site.documents).toHaveLength(1)
}

export const push = (site: BrowserSite, ...given: unknown[]) => site.page.evaluate(`next.router.push(...${JSON.stringify(given)}) && undefined`)
