// Locales of paths, and the locale that a client prefers (X14).

import { describe, expect, it, test } from 'vitest'
import { acceptedLocale } from '../testing.ts'
import { localePath, markedAddress, prefixed, splitLocale } from './locales.ts'
import { preferredLocale } from './preferred-locale.ts'

const I18N = { locales: ['en', 'fr', 'nl-NL', 'nl-BE'], defaultLocale: 'en' }

describe('splitLocale', () => {
  it.each([
    ['/', 'en', '/', false],
    ['/about', 'en', '/about', false],
    ['/fr', 'fr', '/', true],
    ['/fr/', 'fr', '/', true],
    ['/FR/about', 'fr', '/about', true],
    ['/nl-nl/a/b', 'nl-NL', '/a/b', true],
    ['/en/about', 'en', '/about', true],
    ['/frost', 'en', '/frost', false],
    ['/nl/about', 'en', '/nl/about', false],
    ['/about/fr', 'en', '/about/fr', false],
    ['/%66r/about', 'en', '/%66r/about', false],
    ['//fr/about', 'en', '//fr/about', false],
    ['/fr//evil.example', 'fr', '//evil.example', true],
    ['', 'en', '', false],
  ])('X14 %s is in %s, the page is %s', (path, locale, pathname, hasPrefix) => {
    expect(splitLocale(I18N, path)).toEqual({ locale, pathname, hasPrefix })
  })

  it('X14 only the default locale has addresses without a prefix; marks have one in every locale', () => {
    expect(localePath(I18N, 'en', '/about')).toBe('/about')
    expect(localePath(I18N, 'fr', '/')).toBe('/fr')
    expect(prefixed('en', '/about')).toBe('/en/about')
    const marks = ['/about', '/en/about', '/EN/about', '/fr/about', '/'].map((path) => markedAddress(I18N, path))
    expect(marks).toEqual(['/en/about', '/en/about', '/en/about', '/fr/about', '/en'])
    expect(markedAddress(undefined, '/fr/about')).toBe('/fr/about')
  })
})

describe('the locale that a client prefers', () => {
  // As acceptLanguage of Next.js 16 for the same headers.
  it.each([
    ['fr', 'fr'],
    ['FR-ca, fr;q=0.9', 'fr'],
    ['fr-CA', undefined],
    ['nl', 'nl-NL'],
    ['nl-BE,nl;q=0.9', 'nl-BE'],
    ['de, en;q=0.5, fr;q=0.8', 'fr'],
    ['fr;q=0, en', 'en'],
    ['*', 'en'],
    ['en;q=0.1, *;q=0.5', 'fr'],
    ['fr, nl-BE', 'fr'],
    ['nl-BE, fr', 'fr'],
    ['', undefined],
    ['fr;level=1', undefined],
    ['fr;q=0.8;x=1', undefined],
    [';q=1', undefined],
    ['de', undefined],
  ])('X14 Accept-Language: %s', (header, expected) => {
    expect(acceptedLocale(I18N.locales, header)).toBe(expected)
  })

  test('X14 a cookie comes before the languages, and one with another value is ignored', () => {
    const preferred = (cookie?: string, acceptLanguage?: string) => preferredLocale(I18N, { cookie, acceptLanguage })
    expect(preferred('FR', 'nl')).toBe('fr')
    expect(preferred('xx', 'nl')).toBe('nl-NL')
    expect(preferred('//evil.example', undefined)).toBe('en')
    expect(preferred(undefined, 'de')).toBe('en')
  })

  test('X14 a header of 10 KB is read up to its limit', () => {
    const long = `${'de,'.repeat(3400)}fr`
    expect(acceptedLocale(I18N.locales, long)).toBeUndefined()
    expect(acceptedLocale(I18N.locales, `fr,${long}`)).toBe('fr')
    expect(acceptedLocale(I18N.locales, `fr,${'x'.repeat(10_000)}`)).toBe('fr')
  })
})
