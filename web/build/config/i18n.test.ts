// Which locales a site may have (X14).

import { expect, it, test } from 'vitest'
import { parseSiteConfig } from './config.ts'

const faultsOf = (i18n: unknown): string => {
  try {
    parseSiteConfig({ i18n })
    return ''
  } catch (error) {
    return String(error)
  }
}

test('X14 the default locale is the first one, and the language of clients is detected unless the site says no', () => {
  const config = { locales: ['fr', 'en', 'pt-BR'], defaultLocale: 'en' }
  expect(parseSiteConfig({ i18n: config }).i18n).toEqual({
    locales: ['en', 'fr', 'pt-BR'],
    defaultLocale: 'en',
    localeDetection: true,
  })
  expect(parseSiteConfig({ i18n: { ...config, localeDetection: false } }).i18n?.localeDetection).toBe(false)
  expect(parseSiteConfig({ i18n: null })).not.toHaveProperty('i18n')
})

test('X14 a locale may have another name than a language tag', () => {
  const locales = ['__default', 'en_US', 'zh-Hant-TW', '1']
  expect(parseSiteConfig({ i18n: { locales, defaultLocale: '__default' } }).i18n?.locales).toEqual(locales)
})

it.each<[string, unknown, string]>([
  ['no object', 'en', 'i18n = "en": must be { locales, defaultLocale }'],
  ['no list', { locales: 'en', defaultLocale: 'en' }, 'i18n.locales = "en": must be a list of 1 to 100 locales'],
  ['no locale', { locales: [], defaultLocale: 'en' }, 'must be a list of 1 to 100 locales'],
  ['too many', { locales: Array.from({ length: 101 }, (_, at) => `x-${at}`), defaultLocale: 'x-0' }, '1 to 100'],
  ['a number', { locales: ['en', 1], defaultLocale: 'en' }, 'i18n.locales[1] = 1: must be a name of letters'],
  ['a path', { locales: ['en', '../fr'], defaultLocale: 'en' }, 'i18n.locales[1] = "../fr": must be a name of letters'],
  ['a folder above', { locales: ['en', '..'], defaultLocale: 'en' }, 'must be a name of letters'],
  ['files', { locales: ['en', '_next'], defaultLocale: 'en' }, 'is the first segment of files'],
  ['two cases', { locales: ['en', 'EN'], defaultLocale: 'en' }, 'i18n.locales[1] = "EN": is listed twice'],
  ['api', { locales: ['en', 'api'], defaultLocale: 'en' }, 'is the first segment of API handlers'],
  [
    'another default',
    { locales: ['en'], defaultLocale: 'fr' },
    'i18n.defaultLocale = "fr": must be one of i18n.locales: en',
  ],
  ['domains', { locales: ['en'], defaultLocale: 'en', domains: [{}] }, 'i18n.domains = [{}]: is not supported'],
  ['a typo', { locales: ['en'], defaultLocale: 'en', localDetection: false }, 'localDetection'],
  ['a text', { locales: ['en'], defaultLocale: 'en', localeDetection: 'no' }, 'i18n.localeDetection = "no"'],
])('X14 refuses %s', (_, i18n, text) => {
  expect(faultsOf(i18n)).toContain(text)
})

test('X14 rules may contain the locale', () => {
  const rule = { source: '/fr/old', destination: '/fr/new', permanent: true }
  expect(parseSiteConfig({ redirects: [{ ...rule, locale: false }] }).redirects).toEqual([
    { source: '/fr/old', destination: '/fr/new', status: 308, locale: false },
  ])
  expect(() => parseSiteConfig({ redirects: [{ ...rule, locale: 'fr' }] })).toThrow('must be false, or left out')
})
