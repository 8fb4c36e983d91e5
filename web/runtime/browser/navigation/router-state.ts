// The router as components see it in the browser, created for every view. Components see paths without basePath.

import { localeNames } from '@portico/shared/wire/locales/locales.ts'
import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import type { RouterEvents, RouterState } from '../../react/contexts/router-context.ts'
import type { SiteRuntime } from '../../react/contexts/runtime-context.ts'
import { localAddress, localAsPath, localRuntime } from '../../react/locale-paths.ts'
import type { LateRouter } from '../boot/late-router.ts'
import type { View } from '../boot/view.ts'

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
      asPath: localAsPath(runtime, view.url),
      query: { ...parseQuery(splitTarget(view.url).search), ...view.params },
      basePath,
      isFallback: view.isFallback,
      isReady: view.isReady,
      push: (url, _as, options) => router.push(localAddress(runtime, url, options?.locale), options),
      replace: (url, _as, options) => router.replace(localAddress(runtime, url, options?.locale), options),
      back: () => history.back(),
      forward: () => history.forward(),
      reload: () => location.reload(),
      prefetch: (url, _as, options) => router.prefetch(localAddress(runtime, url, options?.locale)),
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
