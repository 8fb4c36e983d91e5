// Links of sites with locales (X14).

import { expect, it, test } from 'vitest'
import { localAsPath, localeOfUrl, localHref, localRuntime } from './locale-paths.ts'

const i18n = { locales: ['en', 'fr', 'nl'], defaultLocale: 'en', locale: 'fr' }
const images = { deviceSizes: [], imageSizes: [], qualities: [] }
const runtime = { basePath: '/docs', trailingSlash: false, publicEnv: {}, images, i18n }

it.each<[string, string | false | undefined, string]>([
  ['/about', undefined, '/fr/about'],
  ['/', undefined, '/fr'],
  ['/about?a=1#b', undefined, '/fr/about?a=1#b'],
  ['/about', 'en', '/about'],
  ['/about', 'nl', '/nl/about'],
  ['/about', false, '/about'],
  ['/nl/about', undefined, '/nl/about'],
  ['/EN', 'nl', '/EN'],
  ['/api/tide', undefined, '/api/tide'],
  ['/apiary', undefined, '/fr/apiary'],
  ['#top', undefined, '#top'],
  ['?a=1', undefined, '?a=1'],
  ['//evil.example/', undefined, '//evil.example/'],
  ['https://example.org/about', undefined, 'https://example.org/about'],
  // Not a locale of the site: the browser loads the address, which has no page.
  ['/about', 'xx', '/xx/about'],
])('X14 a link to %s in locale %s is %s', (href, locale, expected) => {
  expect(localHref(runtime, href, locale)).toBe(expected)
})

test('X14 a site without locales keeps its links', () => {
  expect(localHref({}, '/about', 'fr')).toBe('/about')
  expect(localRuntime({ ...runtime, i18n: undefined } as never, { url: '/docs/fr' })).not.toHaveProperty('i18n.locale')
})

test('X14 paths of components have neither basePath nor prefix', () => {
  const paths = ['/docs/fr/about?a=1#b', '/docs/FR', '/docs', '/docs/en/a/fr'].map((url) => localAsPath(runtime, url))
  expect(paths).toEqual(['/about?a=1#b', '/', '/', '/a/fr'])
  expect(localeOfUrl(i18n, '/docs/NL/about?x', '/docs')).toBe('nl')
  expect(localeOfUrl(undefined, '/docs/nl', '/docs')).toBeUndefined()
})

test('X14 the locale of a page is that of its address, or of its document', () => {
  const localeAt = (url: string, locale?: string) =>
    localRuntime(runtime, { url, ...(locale !== undefined && { locale }) }).i18n?.locale
  expect([localeAt('/docs/nl/x'), localeAt('/docs/x'), localeAt('/docs/fr/x', 'nl')]).toEqual(['nl', 'en', 'nl'])
})
