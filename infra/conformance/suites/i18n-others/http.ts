// Handlers and rules of sites with locales, over HTTP.

import { expect } from 'vitest'
import type { HttpBehaviour, HttpSite } from '../../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../../harness/other-host.ts'
import { responses } from '../../harness/responses.ts'
import { DEFAULT, inLocale, LOCALES } from '../i18n-support/shared.ts'

const inI18n = { configuration: 'i18n' } as const
const common = { via: 'http', ...inI18n } as const

/** A redirect with `locale: false`, from each locale. */
const redirects = (name: string, to: (locale: string) => string) => ({
  requests: LOCALES.map((locale) => ({ path: [...new Set([`/${locale}/${name}`, inLocale(locale, `/${name}`)])], location: to(locale) })),
})

/** A rewrite with `locale: false`, from each locale. */
const rewrites = (path: string, text: string) => ({ path: LOCALES.map((locale) => inLocale(locale, path)), text })

const plain: readonly HttpBehaviour[] = [
  ...responses(
    'i18n-api-support',
    {
      '1 has its handlers before a fallback': {
        also: [2],
        requests: [
          { path: '/api/rest/tide', json: { tide: 'high', query: {} } },
          { path: '/api/rest/boats/heron', json: { tide: 'high', query: { name: 'heron' } } },
        ],
      },
    },
    inI18n,
  ),
  ...responses(
    'i18n-redirect-source-locale',
    {
      '1 redirects from each locale to another one': redirects('to-nl', () => '/nl/piers'),
      '2 redirects from each locale to the prefix of the default one': redirects('to-default', () => '/en-US/piers'),
      '3 redirects from each locale to a path without a prefix': redirects('to-written', () => '/piers'),
      '4 redirects from each locale to the locale that the path names': redirects('to-same', (locale) => `/${locale}/piers`),
    },
    inI18n,
  ),
  ...responses(
    'i18n-rewrite-source-locale',
    {
      '1 rewrites each locale to a public file': rewrites('/files-below/notices/today.txt', 'No crossing'),
      '2 rewrites each locale to a handler': rewrites('/handlers-below/tide', '"tide":"high"'),
    },
    inI18n,
  ),
]

export const http: readonly HttpBehaviour[] = [
  ...plain,
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
