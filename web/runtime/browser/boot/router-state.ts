// The router as components see it in the browser, created for every view. Components see paths without basePath.

import { localeNames } from '@portico/shared/wire/locales/locales.ts'
import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { localAsPath, localHref, localRuntime } from '../../react/locale-paths.ts'
import type { SiteRuntime } from '../../react/router-context.ts'
import { addressIn, asPathOf, type RouterEvents, type RouterState } from '../../react/router-context.ts'
import type { View } from '../view.ts'
import type { LateRouter } from './late-router.ts'

export function createRouterState(
  view: View,
  router: LateRouter,
  events: RouterEvents,
  runtime: SiteRuntime,
): RouterState {
  // Links and routes of a page are in its locale.
  if (process.env.PORTICO_I18N) runtime = localRuntime(runtime, view)
  const { basePath } = runtime
  const state: RouterState = {
    params: view.params,
    links: router.links,
    router: {
      pathname: view.route,
      route: view.route,
      asPath: process.env.PORTICO_I18N ? localAsPath(runtime, view.url) : asPathOf(view.url, basePath),
      query: { ...parseQuery(splitTarget(view.url).search), ...view.params },
      basePath,
      isFallback: view.isFallback,
      isReady: view.isReady,
      push: (url, _as, options) =>
        router.push(
          addressIn(runtime, process.env.PORTICO_I18N ? localHref(runtime, url, options?.locale) : url),
          options,
        ),
      replace: (url, _as, options) =>
        router.replace(
          addressIn(runtime, process.env.PORTICO_I18N ? localHref(runtime, url, options?.locale) : url),
          options,
        ),
      back: () => history.back(),
      forward: () => history.forward(),
      reload: () => location.reload(),
      prefetch: process.env.PORTICO_I18N
        ? (url, _as, options) => router.prefetch(addressIn(runtime, localHref(runtime, url, options?.locale)))
        : (url) => router.prefetch(addressIn(runtime, url)),
      beforePopState: router.beforePopState,
      events,
    },
  }
  if (process.env.PORTICO_I18N) addLocale(state, runtime)
  return state
}

function addLocale(state: RouterState, runtime: SiteRuntime): void {
  const { i18n } = runtime
  Object.assign(state, { runtime })
  Object.assign(state.router, localeNames(i18n, i18n?.locale))
}
