// Redirects: non-canonical paths (R6), the redirects of portico.config.ts (R7, X5), and the root of a site with locales
// (X14). For the address of a page's data the redirect is page data (W2).

import type { IncomingMessage } from 'node:http'
import type { Manifest, RedirectRule } from '@portico/shared/wire/build-output.ts'
import { localePath } from '@portico/shared/wire/locales/locales.ts'
import { LOCALE_COOKIE, preferredLocale } from '@portico/shared/wire/locales/preferred-locale.ts'
import { redirectBody } from '@portico/shared/wire/next/next-data.ts'
import { compileDestination, fillDestination, joinSearch } from '@portico/shared/wire/patterns/destination.ts'
import { createRuleIndex, namesOf } from '@portico/shared/wire/patterns/rule-index.ts'
import { canonicalPath, isOwnPath, locationOnSite, type SiteAddresses } from '@portico/shared/wire/routing/urls.ts'
import { parseCookie } from 'cookie'
import { type Exchange, exchangeOf, noteRule, type Reply } from '../exchange/exchange.ts'
import { type ForwardedFacts, locationInBrowser } from '../headers/headers.ts'
import { factsOf, ruleName } from './rule-facts.ts'

type LocaleRedirectTables = Pick<Manifest, 'basePath' | 'trailingSlash' | 'i18n'>

/** What a response to the root depends on. The host never decides. */
export const VARY_OF_ROOT = 'Accept-Language, Cookie'

/** Returns the location; undefined for other requests and for the default locale. Undefined for a site without the feature. */
function createLocaleRedirect({ basePath, trailingSlash, i18n }: LocaleRedirectTables) {
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

export interface RedirectRulesDeps {
  manifest: Pick<Manifest, 'basePath' | 'i18n' | 'semantics' | 'trailingSlash' | 'redirects' | 'caseSensitiveRoutes'>
  isPublicFile: (path: string) => boolean
  forwarded: (request: IncomingMessage) => ForwardedFacts
}

/** Compiles the rules once. */
function createRedirectRules({ manifest, isPublicFile, forwarded }: RedirectRulesDeps) {
  const { basePath, i18n, semantics, trailingSlash, redirects } = manifest
  const rules = createRuleIndex(
    redirects.map((rule) => ({ ...rule, compiled: compileDestination(rule.destination, namesOf(rule)) })),
    i18n,
    manifest.caseSensitiveRoutes,
  )
  const site: SiteAddresses = { basePath, trailingSlash, isPublicFile }
  // The browser adds basePath and slash itself.
  const inBrowser: SiteAddresses = { basePath: '', trailingSlash: false, isPublicFile }

  /** With `dataUrls` no redirect applies below /_next, also where rewrites of the site do. */
  const isOwn = (below: string) => isOwnPath(below) || (semantics.dataUrls && below.startsWith('/_next/'))

  return {
    isEmpty: rules.isEmpty,
    /** `location` is that of the header, for page data that of the browser's router. */
    find(
      request: IncomingMessage,
      exchange: Exchange,
    ): (Pick<RedirectRule, 'status'> & { location: string }) | undefined {
      const { search, pageData, method } = exchange
      const path = pageData?.pathname ?? exchange.path
      if (!pageData && path !== undefined && isOwn(path)) return undefined
      if (pageData && method !== 'GET' && method !== 'HEAD') return undefined
      const whole = pageData ? basePath + pageData.pathname : exchange.pathname
      for (const { rule, params, locale, order } of rules.matches(path, whole, factsOf(request, search, forwarded))) {
        const target = fillDestination(rule.compiled, params)
        // A parameter that fits no host.
        if (!target) continue
        noteRule(exchange, ruleName('redirects', order))
        // A rule of each locale leads to the locale of its path.
        const base =
          i18n && locale !== undefined && target.base.startsWith('/')
            ? localePath(i18n, locale, target.base)
            : target.base
        const location = base + joinSearch(target.search, search) + target.hash
        const { status } = rule
        if (rule.basePath === false && basePath !== '')
          return {
            status,
            location: pageData ? locationInBrowser(request, location, { basePath, forwarded }) : location,
          }
        return { status, location: locationOnSite(pageData ? inBrowser : site, location) }
      }
      return undefined
    },
  }
}

/** Creates the step. */
export function createRedirector({ manifest, isPublicFile, forwarded }: RedirectRulesDeps) {
  const { semantics, trailingSlash } = manifest
  const rules = createRedirectRules({ manifest, isPublicFile, forwarded })
  const localeRedirect = createLocaleRedirect(manifest)

  return function redirectElsewhere(request: IncomingMessage): Reply | undefined {
    const exchange = exchangeOf(request)
    const { pathname, search } = exchange
    const { isPage = false, isData = false } = exchange.found.route ?? { isPage: true }
    // With `trailingSlash` an address under /api is accepted with or without a slash: programs post to one fixed path.
    const canonical = canonicalPath(
      !isPage && !isData && trailingSlash && pathname.length > 1 && pathname.endsWith('/')
        ? pathname.slice(0, -1)
        : pathname,
      isPage && trailingSlash,
    )
    if (canonical.kind === 'redirect') {
      // A client sends method and body again, to an address that its author should have written.
      if (!semantics.nonCanonicalPosts && request.method !== 'GET' && request.method !== 'HEAD')
        return { kind: 'error', code: 'non-canonical-path' }
      return { kind: 'redirect', status: 308, location: `${canonical.pathname}${search}` }
    }
    const preferred = localeRedirect?.(request, exchange)
    if (preferred !== undefined) return { kind: 'redirect', status: 307, location: preferred, isForThisClient: true }
    const found = rules.isEmpty ? undefined : rules.find(request, exchange)
    if (!found) return undefined
    const { location, status } = found
    // SECURITY: a rule that guards a page guards its data, which the same browser could request.
    const { pageData } = exchange
    return pageData
      ? { kind: 'redirect-data', body: redirectBody(pageData.as, found) }
      : { kind: 'redirect', status, location }
  }
}
