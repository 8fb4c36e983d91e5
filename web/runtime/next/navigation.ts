// `next/navigation` in pages: hooks of the page's router, and the functions that end a render.

import {
  controlFlowOf,
  forbidden,
  notFound,
  redirect as redirectTo,
  unauthorized,
} from '@portico/shared/wire/errors/control-flow.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { useContext, useMemo } from 'react'
import { useSearchParams as useParamsOfSearch, useRouterState } from '../react/router-context.ts'
import { AppRouterContext } from './contexts.ts'
import type { AppRouterInstance } from './navigation-types.ts'
import type { NextRouter } from './router-types.ts'

export { usePathname } from '../react/router-context.ts'
export type { AppRouterInstance } from './navigation-types.ts'
export { forbidden, notFound, unauthorized }

/** Returns the router of the current page. Throws outside of a page. */
export function useRouter(): AppRouterInstance {
  const router = useContext(AppRouterContext)
  if (!router) throw new Error('useRouter of next/navigation needs a page around it.')
  return router
}

/** The router of `next/navigation` around that of `next/router`. */
export function createAppRouter(router: NextRouter): AppRouterInstance {
  return {
    back: router.back,
    forward: router.forward,
    refresh: router.reload,
    push: (href, options) => void router.push(href, undefined, options),
    replace: (href, options) => void router.replace(href, undefined, options),
    prefetch: (href) => void router.prefetch(href),
  }
}

const refuse = (): never => {
  throw new Error('The search parameters of a page cannot be changed: navigate to another address.')
}

/** The query of an address; its methods that change it throw. */
export class ReadonlyURLSearchParams extends URLSearchParams {
  override append = refuse
  override delete = refuse
  override set = refuse
  override sort = refuse
}

/** Returns the query of the current page. */
export function useSearchParams(): ReadonlyURLSearchParams {
  const params = useParamsOfSearch()
  return useMemo(() => new ReadonlyURLSearchParams(params), [params])
}

/** Returns the parameters of the current page, without the query that a rewrite adds. */
export function useParams<Params extends RouteParams = RouteParams>(): Params {
  const { params, router } = useRouterState()
  const { pathname } = router
  // The author declares the parameters of the route.
  return useMemo(() => paramsOf(pathname, params) as Params, [pathname, params])
}

function paramsOf(pattern: string, params: RouteParams): RouteParams {
  const names = new Set([...pattern.matchAll(/\[(?:\.\.\.)?([^[\]]+)\]/g)].map(([, name]) => name))
  return Object.fromEntries(Object.entries(params).filter(([name]) => names.has(name)))
}

export const RedirectType = { push: 'push', replace: 'replace' } as const

/** Ends the render with a redirect. The history entry is replaced in both types. */
export function redirect(url: string, _type?: 'push' | 'replace'): never {
  redirectTo(url)
}

/** Ends the render with a redirect that clients may keep (308). */
export function permanentRedirect(url: string, _type?: 'push' | 'replace'): never {
  redirectTo(url, 308)
}

/** Throws a value again that redirect() or notFound() threw; for `catch`. */
export function unstable_rethrow(error: unknown): void {
  if (controlFlowOf(error)) throw error
}

/** Pages have no layout segments. */
export function useSelectedLayoutSegment(): string | null {
  return null
}

/** Pages have no layout segments. */
export function useSelectedLayoutSegments(): string[] {
  return []
}

/** Pages collect the styles of libraries in `_document`: the function is never called, as in Next.js. */
export function useServerInsertedHTML(_render: () => unknown): void {}
