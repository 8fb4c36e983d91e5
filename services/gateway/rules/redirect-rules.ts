// Finds the redirect of portico.config.ts that applies to a request, and its location (R7, X5).

import type { IncomingMessage } from 'node:http'
import type { Manifest, RedirectRule } from '@portico/shared/wire/build-output.ts'
import { localePath } from '@portico/shared/wire/locales/locales.ts'
import { compileDestination, fillDestination, joinSearch } from '@portico/shared/wire/patterns/destination.ts'
import { createRuleIndex, namesOf } from '@portico/shared/wire/patterns/rule-index.ts'
import { isOwnPath, locationOnSite, type SiteAddresses } from '@portico/shared/wire/routing/urls.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { type Exchange, noteRule } from '../request/exchange.ts'
import { locationInBrowser } from '../send/made.ts'
import { factsOf } from './rule-facts.ts'
import { ruleName } from './rule-names.ts'

export interface RedirectRulesDeps {
  manifest: Pick<Manifest, 'basePath' | 'i18n' | 'semantics' | 'trailingSlash' | 'redirects' | 'caseSensitiveRoutes'>
  isPublicFile: (path: string) => boolean
  forwarded: (request: IncomingMessage) => ForwardedFacts
}

/** Compiles the rules once. */
export function createRedirectRules({ manifest, isPublicFile, forwarded }: RedirectRulesDeps) {
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
