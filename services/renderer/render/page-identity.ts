// How a page is named: in keys of caches, in marks of the invalidation feed, and in the address bar.

import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import { localePath, markedPath, splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { paramsKey } from '@portico/shared/wire/routing/page-key.ts'
import { fillPattern, type RouteParams } from '@portico/shared/wire/routing/routes.ts'

export interface PageIdentity {
  entry: Pick<PageEntry, 'pattern'>
  params: RouteParams
  /** In a site with locales (X14). */
  locale?: string | undefined
}

/** A path of a page, as getStaticPaths lists it. */
export interface ListedPath {
  params: RouteParams
  locale?: string
}

/** SECURITY: the locale is a part of every key: no page of one locale is sent for another. */
export function keyOf({ entry, params, locale }: PageIdentity): string {
  return paramsKey(entry.pattern, params, locale)
}

export function markOf({ entry, params, locale }: PageIdentity): string {
  return markedPath(locale, fillPattern(entry.pattern, params))
}

/** Raw, below basePath. */
export function addressOf({ i18n }: Pick<Manifest, 'i18n'>, { entry, params, locale }: PageIdentity): string {
  const path = fillPattern(entry.pattern, params)
  return i18n && locale !== undefined ? localePath(i18n, locale, path) : path
}

/** The locale of an address, raw and below basePath; undefined in a site without locales. */
export function localeOf({ i18n }: Pick<Manifest, 'i18n'>, pathname: string): string | undefined {
  return i18n && splitLocale(i18n, pathname).locale
}
