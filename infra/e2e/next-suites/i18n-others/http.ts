// Handlers and rules of sites with locales, over HTTP.

import { expect } from 'vitest'
import type { HttpBehaviour, HttpSite } from '../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../harness/other-host.ts'
import { DEFAULT, inLocale, LOCALES } from '../i18n-support/shared.ts'

const common = { via: 'http', configuration: 'i18n' } as const

const location = async (site: HttpSite, path: string) =>
  (await site.fetch(path)).headers.get('location')?.replace(site.origin, '')

/** A redirect with `locale: false`, from each locale. */
function redirects(number: number, does: string, name: string, to: (locale: string) => string): HttpBehaviour {
  const run = async (site: HttpSite) => {
    for (const locale of LOCALES)
      for (const path of new Set([`/${locale}/${name}`, inLocale(locale, `/${name}`)]))
        expect([path, await location(site, path)]).toEqual([path, to(locale)])
  }
  return { id: `i18n-redirect-source-locale-${number}`, does, ...common, run }
}

/** A rewrite with `locale: false`, from each locale. */
function rewrites(number: number, does: string, path: string, text: string): HttpBehaviour {
  const run = async (site: HttpSite) => {
    for (const locale of LOCALES) expect(await site.text(inLocale(locale, path))).toContain(text)
  }
  return { id: `i18n-rewrite-source-locale-${number}`, does, ...common, run }
}

export const http: readonly HttpBehaviour[] = [
  {
    id: 'i18n-api-support-1',
    also: [2],
    does: 'has its handlers before a fallback',
    ...common,
    async run(site) {
      expect(await (await site.fetch('/api/rest/tide')).json()).toEqual({ tide: 'high', query: {} })
      const boat = { tide: 'high', query: { name: 'heron' } }
      expect(await (await site.fetch('/api/rest/boats/heron')).json()).toEqual(boat)
    },
  },
  {
    id: 'i18n-api-support-3',
    does: 'rewrites the addresses of handlers with a prefix, and those without a handler',
    ...common,
    run: (site) =>
      withOtherHost(PORTS.http, async () => {
        for (const path of ['/fr/api/rest/tide', '/en/api/rest/boats/heron', '/en/api/rest/none', '/api/rest/none'])
          expect([path, (await site.text(path)).includes('Another host')]).toEqual([path, true])
      }),
  },
  redirects(1, 'redirects from each locale to another one', 'to-nl', () => '/nl/piers'),
  redirects(2, 'redirects from each locale to the prefix of the default one', 'to-default', () => '/en-US/piers'),
  redirects(3, 'redirects from each locale to a path without a prefix', 'to-written', () => '/piers'),
  redirects(
    4,
    'redirects from each locale to the locale that the path names',
    'to-same',
    (locale) => `/${locale}/piers`,
  ),
  rewrites(1, 'rewrites each locale to a public file', '/files-below/notices/today.txt', 'No crossing'),
  rewrites(2, 'rewrites each locale to a handler', '/handlers-below/tide', '"tide":"high"'),
  {
    id: 'i18n-rewrite-source-locale-3',
    does: 'rewrites each locale to the scripts of pages',
    ...common,
    async run(site) {
      for (const path of await scriptsBelow(site)) expect((await site.fetch(path)).status).toBe(200)
    },
    differs: {
      reason: 'a rewrite does not lead to an address of the framework',
      async run(site) {
        for (const path of await scriptsBelow(site)) expect((await site.fetch(path)).status).toBe(404)
      },
    },
  },
]

async function scriptsBelow(site: HttpSite): Promise<string[]> {
  const script = /"(\/_(?:next|portico)\/static\/[^"]+\.js)"/.exec(await site.text('/probe'))?.[1]
  return [DEFAULT, 'fr'].map((locale) => inLocale(locale, `/files-below${script}`))
}
