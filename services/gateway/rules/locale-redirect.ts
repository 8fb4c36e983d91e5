// The root of a site with locales: clients that prefer another locale than the default one are redirected (X14).

import type { IncomingMessage } from 'node:http'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { LOCALE_COOKIE, preferredLocale } from '@portico/shared/wire/locales/preferred-locale.ts'
import { parseCookie } from 'cookie'
import type { Exchange } from '../request/exchange.ts'

type LocaleRedirectTables = Pick<Manifest, 'basePath' | 'trailingSlash' | 'i18n'>

/** What a response to the root depends on. The host never decides. */
export const VARY_OF_ROOT = 'Accept-Language, Cookie'

/** Returns the location; undefined for other requests and for the default locale. Undefined for a site without the feature. */
export function createLocaleRedirect({ basePath, trailingSlash, i18n }: LocaleRedirectTables) {
  if (!i18n?.localeDetection) return undefined
  return function localeRedirect({ headers }: IncomingMessage, exchange: Exchange): string | undefined {
    const { method, path, found, pageData, search } = exchange
    // Page data and posted forms belong to a page that the client has seen.
    if (path !== '/' || !found.route?.isPage || pageData || (method !== 'GET' && method !== 'HEAD')) return undefined
    // SECURITY: no cache may send the response of one client's language to others.
    exchange.comparesClient = true
    exchange.variesByLocale = true
    const locale = preferredLocale(i18n, {
      cookie: parseCookie(headers.cookie ?? '')[LOCALE_COOKIE],
      acceptLanguage: headers['accept-language'],
    })
    if (locale === i18n.defaultLocale) return undefined
    // SECURITY: the location is made of the configuration; of the request it has the query only.
    return `${basePath}/${locale}${trailingSlash ? '/' : ''}${search}`
  }
}
