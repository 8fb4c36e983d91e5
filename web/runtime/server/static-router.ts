// The router of components while the server renders: it has the current path and cannot navigate.

import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { asPathOf, type Router, type RouterState } from '../react/contexts/router-context.ts'

const refuse = (): never => {
  throw new Error('The router can navigate in the browser only; use redirect() on the server.')
}

const events = { on: () => {}, off: () => {} }

export function createStaticRouterState(hydration: HydrationData): RouterState {
  const { url, route, params, basePath, isFallback, isReady } = hydration
  const router: Router = {
    pathname: route,
    route,
    asPath: asPathOf(url, basePath),
    query: { ...parseQuery(splitTarget(url).search), ...params },
    basePath,
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
