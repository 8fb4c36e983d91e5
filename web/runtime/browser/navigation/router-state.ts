// The router as components see it in the browser, created for every view. Components see paths without basePath.

import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { addressIn, asPathOf, type RouterEvents, type RouterState } from '../../react/contexts/router-context.ts'
import type { SiteRuntime } from '../../react/contexts/runtime-context.ts'
import type { LateRouter } from '../boot/late-router.ts'
import type { View } from '../boot/view.ts'

export function createRouterState(
  view: View,
  router: LateRouter,
  events: RouterEvents,
  runtime: SiteRuntime,
): RouterState {
  const { basePath } = runtime
  return {
    params: view.params,
    links: router.links,
    router: {
      pathname: view.route,
      route: view.route,
      asPath: asPathOf(view.url, basePath),
      query: { ...parseQuery(splitTarget(view.url).search), ...view.params },
      basePath,
      isFallback: view.isFallback,
      isReady: view.isReady,
      push: (url, _as, options) => router.push(addressIn(runtime, url), options),
      replace: (url, _as, options) => router.replace(addressIn(runtime, url), options),
      back: () => history.back(),
      forward: () => history.forward(),
      reload: () => location.reload(),
      prefetch: (url) => router.prefetch(addressIn(runtime, url)),
      beforePopState: router.beforePopState,
      events,
    },
  }
}
