// The router as components see it in the browser, made anew for every view. Paths are given and shown without basePath.

import { splitTarget } from '../../../services/shared/wire/urls.ts'
import { asPathOf, parseQuery, type RouterEvents, type RouterState, withBasePath } from '../react/router-context.ts'
import type { LateRouter } from './late-router.ts'
import type { View } from './view.ts'

export function createRouterState(view: View, router: LateRouter, events: RouterEvents, basePath: string): RouterState {
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
      push: (url, _as, options) => router.push(withBasePath(url, basePath), options),
      replace: (url, _as, options) => router.replace(withBasePath(url, basePath), options),
      back: () => history.back(),
      forward: () => history.forward(),
      reload: () => location.reload(),
      prefetch: (url) => router.prefetch(withBasePath(url, basePath)),
      beforePopState: router.beforePopState,
      events,
    },
  }
}
