// Middleware in a site with locales: no prefix leads around a matcher, and rewrites remain in the locale of the request.

import { expect, it } from 'vitest'
import { guardedSite, passedIn, SITE } from '../../testing/guarded-gateway.ts'

const MANIFEST = { ...SITE, i18n: { locales: ['en', 'fr', 'nl-NL'], defaultLocale: 'en', localeDetection: true } }
const REFUSAL = { kind: 'response', status: 401, body: '', responseHeaders: [] }

it('X14 X15 a matcher fits its path in each locale, in every spelling of the prefix', async () => {
  const matchers = [{ source: '/me/:path*' }, { source: '/' }, { source: '/fr/about', locale: false as const }]
  const { get } = await guardedSite(() => REFUSAL, { manifest: MANIFEST, matchers })
  for (const path of [
    '/me',
    '/en/me',
    '/fr/me',
    '/FR/me',
    '/nl-nl/me/x',
    '/fr/%6de',
    '/fr%2Fme',
    '/fr',
    '/fr/about',
    '/_portico/data/build1/fr/me.json',
    '/_next/data/other/fr/me.json',
    '/_next/data/build1/fr.json',
  ])
    expect([path, (await get(path)).status]).toEqual([path, 401])
  for (const path of ['/about', '/en/about', '/nl-NL/about', '/frost/me'])
    expect([path, (await get(path)).status]).toEqual([path, 200])
})

it.each([
  ['/fr/about', '/me', '/fr/me', 'fr'],
  ['/about', '/fr/me', '/fr/me', 'fr'],
  ['/fr/about', '/en/me', '/en/me', 'en'],
  ['/about', '/me', '/me', 'en'],
])('X14 X15 the rewrite of %s to %s leads to %s', async (path, target, sentTarget, locale) => {
  const { get, requests } = await guardedSite(() => ({ kind: 'rewrite', target, responseHeaders: [] }), {
    manifest: MANIFEST,
  })
  await get(path)
  const sent = requests().at(-1)
  expect([sent?.url, passedIn(sent?.headers).moved, passedIn(sent?.headers).locale]).toEqual([path, sentTarget, locale])
})

it('X14 X15 a rewrite to a file or a handler has no locale', async () => {
  const { get, guard, requests } = await guardedSite(
    () => ({ kind: 'rewrite', target: '/file.txt', responseHeaders: [] }),
    {
      manifest: MANIFEST,
    },
  )
  expect((await get('/fr/me')).text).toBe('file')
  guard.decide = () => ({ kind: 'rewrite', target: '/api/me', responseHeaders: [] })
  await get('/fr/me')
  expect(requests().at(-1)?.url).toBe('/api/me')
})
