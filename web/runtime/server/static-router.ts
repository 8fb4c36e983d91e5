// The router of components while the server renders: it has the current path and cannot navigate.

import { localeNames } from '@portico/shared/wire/locales/locales.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { localAsPath } from '../react/locale-paths.ts'
import type { PageLocale, Router, RouterState } from '../react/router-context.ts'

/** Undefined in a site without locales. */
export function pageLocaleOf({ locale, locales, defaultLocale }: HydrationData): PageLocale | undefined {
  return locale === undefined || !locales || defaultLocale === undefined
    ? undefined
    : { locale, locales, defaultLocale }
}

const refuse = (): never => {
  throw new Error('The router can navigate in the browser only; use redirect() on the server.')
}

const events = { on: () => {}, off: () => {} }

export function createStaticRouterState(hydration: HydrationData): RouterState {
  const { url, route, params, basePath, isFallback, isReady } = hydration
  const i18n = pageLocaleOf(hydration)
  const router: Router = {
    pathname: route,
    route,
    asPath: localAsPath({ basePath, ...(i18n && { i18n }) }, url),
    query: { ...parseQuery(splitTarget(url).search), ...params },
    basePath,
    ...localeNames(i18n, i18n?.locale),
    isFallback: isFallback ?? false,
    isReady,
    push: refuse,
    replace: refuse,
    back: refuse,
    forward: refuse,
    reload: refuse,
    prefetch: refuse,
    beforePopState: refuse,
    events,
  }
  return { router, params }
}
