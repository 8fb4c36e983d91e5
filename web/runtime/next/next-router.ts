// The router of `next/router` around the router of a page (X2).

import { localesOf } from '@portico/shared/wire/locales/locales.ts'
import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { localHref } from '../react/locale-paths.ts'
import { addressIn, type MaskOptions, type Router, type SiteRuntime } from '../react/router-context.ts'
import type { NextRouter, TransitionOptions } from './router-types.ts'
import { targetOf, type Url, type UrlTarget } from './urls.ts'

export function createNextRouter(router: Router, runtime: SiteRuntime, isPreview = false): NextRouter {
  const { pathname, route, asPath, query, basePath, isFallback, isReady, events } = router
  const resolve = (url: Url, as: Url | undefined, locale: string | false | undefined) =>
    withoutCode(siteTarget(targetOf(url, as, router), runtime, locale))
  return {
    ...(process.env.PORTICO_I18N && localesOf(router)),
    pathname,
    route,
    asPath,
    query,
    basePath,
    isFallback,
    isReady,
    isPreview,
    isLocaleDomain: false,
    async push(url, as, options) {
      const { address, from } = resolve(url, as, options?.locale)
      return router.push(address as `/${string}`, undefined, navigateOptions(options, from))
    },
    async replace(url, as, options) {
      const { address, from } = resolve(url, as, options?.locale)
      return router.replace(address as `/${string}`, undefined, navigateOptions(options, from))
    },
    async prefetch(url, as, options) {
      const locale = options?.locale
      const { address, from } = resolve(url, as, locale)
      return router.prefetch((from ?? address) as `/${string}`, undefined, { ...(locale !== undefined && { locale }) })
    },
    reload: () => router.reload(),
    back: () => router.back(),
    forward: () => router.forward(),
    beforePopState: (callback) => router.beforePopState(callback),
    events,
  }
}

/** SECURITY: a navigation to such a URL runs it, and pages pass values of their query to the router. */
export function isCode(address: string): boolean {
  return /^javascript:/i.test(address)
}

function withoutCode(target: UrlTarget): UrlTarget {
  if (isCode(target.address)) throw new Error('The router does not follow javascript: URLs.')
  return target
}

/** The options of the page's router. `from` is the page to load, with basePath. */
export function navigateOptions(options: TransitionOptions = {}, from?: string): MaskOptions {
  const { scroll, shallow, locale } = options
  if (process.env.NODE_ENV !== 'production' && !process.env.PORTICO_I18N && locale)
    console.warn(`locale=${locale}: the site has no i18n, and the option has no effect`)
  return {
    options,
    ...(scroll !== undefined && { scroll }),
    ...(shallow !== undefined && { shallow }),
    ...(process.env.PORTICO_I18N && locale !== undefined && { locale }),
    ...(from !== undefined && { from: { url: from, query: parseQuery(splitTarget(from).search) } }),
  }
}

/** A path with a slash at its end; and such a path whose last segment has a dot, as the name of a file. */
const SLASH_AT_END = /^(\/[^?#]*[^/?#])\/+(?=[?#]|$)/
const SLASH_AFTER_FILE = /^(\/(?:[^?#]*\/)?[^/?#]+\.[^/?#]+)\/+(?=[?#]|$)/

/** Without the slash at the end that the site does not have there; `from` with basePath. */
export function siteTarget({ address, from }: UrlTarget, runtime: SiteRuntime, locale?: string | false): UrlTarget {
  if (process.env.PORTICO_I18N && from !== undefined) from = localHref(runtime, from, locale)
  const plain = (text: string) => text.replace(runtime.trailingSlash ? SLASH_AFTER_FILE : SLASH_AT_END, '$1')
  return { address: plain(address), ...(from !== undefined && { from: addressIn(runtime, plain(from)) }) }
}
