// nextUrl of middleware: basePath, locale and the slash at the end.

import { expect, test } from 'vitest'
import { NextUrl } from './next-url.ts'

const i18n = { locales: ['en', 'de'], defaultLocale: 'en' }

test('X14 has the locale of its path, or the default one, which href leaves out', () => {
  const url = new NextUrl('https://site.test/base/de/a?b=1', { nextConfig: { basePath: '/base', i18n } })
  expect([url.pathname, url.locale, url.defaultLocale, url.href]).toEqual([
    '/a',
    'de',
    'en',
    'https://site.test/base/de/a?b=1',
  ])
  url.locale = 'en'
  expect(url.href).toBe('https://site.test/base/a?b=1')
  expect(() => {
    url.locale = 'fr'
  }).toThrow("must be one of the site's locales")
  const root = new NextUrl('https://site.test/DE', { nextConfig: { i18n } })
  expect([root.pathname, root.locale, root.href]).toEqual(['/', 'de', 'https://site.test/de'])
  root.pathname = '/api/a'
  expect(root.href).toBe('https://site.test/api/a')
})

test.each([
  ['/a/', '/b', '/b/'],
  ['/a', '/b/', '/b'],
  ['/a', 'b c', '/b%20c'],
  ['/a/', '/', '/'],
])('X15 %s with the pathname %s is %s: the slash at the end is that of the request', (from, to, result) => {
  const url = new NextUrl(`https://site.test${from}`)
  url.pathname = to
  expect(url.href).toBe(`https://site.test${result}`)
})

test('X15 takes a base, and is read again after href was set', () => {
  const url = new NextUrl('/a', 'https://site.test', { nextConfig: { basePath: '/base' } })
  url.href = 'https://site.test/base/c'
  expect([url.pathname, url.basePath, url.clone().href]).toEqual(['/c', '/base', 'https://site.test/base/c'])
})
