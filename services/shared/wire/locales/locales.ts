// Locales of the path (X14): which language a path is in, and the path of the page without its prefix. Gateway, renderer,
// actions service and browser run these functions before rules and routes.

/** The `i18n` of the configuration. The default locale is the first one. */
export interface Locales {
  locales: readonly string[]
  defaultLocale: string
}

/** A path below basePath, split by locale. */
export interface LocalePath {
  locale: string
  /** Without the prefix; at least `/`. */
  pathname: string
  /** Whether the path names the locale: paths of the default locale need no prefix. */
  hasPrefix: boolean
}

/**
 * Splits a raw pathname. As in Next.js the case of a prefix does not matter, and a prefix is a whole segment.
 *
 * @example
 * ```ts
 * splitLocale({ locales: ['en', 'fr'], defaultLocale: 'en' }, '/FR/about') // { locale: 'fr', pathname: '/about', … }
 * splitLocale({ locales: ['en', 'fr'], defaultLocale: 'en' }, '/frost') // { locale: 'en', pathname: '/frost', … }
 * ```
 */
export function splitLocale({ locales, defaultLocale }: Locales, pathname: string): LocalePath {
  const end = pathname.indexOf('/', 1)
  const first = pathname.slice(1, end < 0 ? undefined : end)
  const locale = first === '' ? undefined : findLocale(locales, first)
  if (locale === undefined) return { locale: defaultLocale, pathname, hasPrefix: false }
  return { locale, pathname: end < 0 ? '/' : pathname.slice(end), hasPrefix: true }
}

/** The locale of the site that a name means, in the spelling of the configuration. */
export function findLocale(locales: readonly string[], name: string): string | undefined {
  const lower = name.toLowerCase()
  return locales.find((locale) => locale.toLowerCase() === lower)
}

/** The address of a page in a locale, below basePath: without a prefix for the default locale. */
export function localePath({ defaultLocale }: Locales, locale: string, pathname: string): string {
  return locale === defaultLocale ? pathname : prefixed(locale, pathname)
}

/** With the prefix of any locale: `/` is `/fr`. */
export function prefixed(locale: string, pathname: string): string {
  return pathname === '/' ? `/${locale}` : `/${locale}${pathname}`
}

/** The one path of a page for marks of the invalidation feed (D6): it has the locale, that of the default locale, too. */
export function markedPath(locale: string | undefined, pathname: string): string {
  return locale === undefined ? pathname : prefixed(locale, pathname)
}

/** The same of an address of the site: `/about` and `/EN/about` are `/en/about`. */
export function markedAddress(i18n: Locales | undefined, path: string): string {
  if (!i18n) return path
  const { locale, pathname } = splitLocale(i18n, path)
  return markedPath(locale, pathname)
}

/** What data functions, routers and documents know of the locale; nothing in a site without locales. */
export interface LocaleNames {
  locale?: string
  locales?: string[]
  defaultLocale?: string
}

/** These members of a context or of hydration data, which has all of them or none. */
export function localesOf({ locale, locales, defaultLocale }: LocaleNames): LocaleNames {
  return locale === undefined ? {} : { locale, locales: locales!, defaultLocale: defaultLocale! }
}

/** Members for a context; each has a list that it may change. */
export function localeNames(i18n: Locales | undefined, locale: string | undefined): LocaleNames {
  if (!i18n) return {}
  const { locales, defaultLocale } = i18n
  return { locale: locale ?? defaultLocale, locales: [...locales], defaultLocale }
}
