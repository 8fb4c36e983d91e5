// `next/router`: the router of the page, and the default `Router`, which modules use outside of components (X2).

import { type ComponentType, useContext } from 'react'
import type { RouterEventName, RouterEvents, RouterState, SiteRuntime } from '../react/router-context.ts'
import { RouterContext } from './contexts.ts'
import type { InitialComponent } from './initial-props.ts'
import type { ExcludeRouterProps, NextRouter, WithRouterProps } from './router-types.ts'

export type * from './router-types.ts'
export type { Url, UrlObject } from './urls.ts'

/** Returns the router of the current page. Throws outside of a page. */
export function useRouter(): NextRouter {
  const router = useContext(RouterContext)
  if (!router) throw new Error('useRouter of next/router needs a page around it.')
  return router
}

/** Passes the router to a component as the prop `router`. */
export function withRouter<Props extends WithRouterProps>(
  Component: ComponentType<Props>,
): ComponentType<ExcludeRouterProps<Props>> {
  const WithRouter = (props: ExcludeRouterProps<Props>) => {
    // The cast: the prop that the type leaves out is added here.
    const all = { ...props, router: useRouter() } as unknown as Props
    return <Component {...all} />
  }
  WithRouter.displayName = `withRouter(${Component.displayName ?? Component.name})`
  const { getInitialProps, origGetInitialProps }: InitialComponent = Component
  return Object.assign(WithRouter, getInitialProps && { getInitialProps, origGetInitialProps })
}

type Listener = Parameters<RouterEvents['on']>[1]

/**
 * The router of the page in this tab. It is state of the module because modules use it before any page is rendered; no
 * page of the server has one.
 */
const tab: {
  router?: NextRouter
  page?: ShownPage
  waiting: (() => void)[]
  listeners: [RouterEventName, Listener][]
} = {
  waiting: [],
  listeners: [],
}

/** The contexts of the page that is shown, for components that getInitialProps renders outside of it. */
export interface ShownPage {
  state: RouterState
  runtime: SiteRuntime
}

export function shownPage(): ShownPage | undefined {
  return tab.page
}

/** Called in the browser with the router of each view. */
export function connectRouter(router: NextRouter, page: ShownPage): void {
  const isFirst = !tab.router
  tab.router = router
  tab.page = page
  if (!isFirst) return
  for (const [name, listener] of tab.listeners) router.events.on(name, listener)
  for (const run of tab.waiting.splice(0)) run()
}

const events: RouterEvents = {
  on(name, listener) {
    if (typeof window === 'undefined') return
    // Before the first page the listeners wait.
    if (tab.router) tab.router.events.on(name, listener)
    else tab.listeners.push([name, listener])
  },
  off(name, listener) {
    tab.router?.events.off(name, listener)
    tab.listeners = tab.listeners.filter(([other, known]) => other !== name || known !== listener)
  },
}

function current(): NextRouter {
  if (!tab.router)
    throw new Error(
      'Router of next/router works in the browser, when the page is hydrated: use it in effects and events.',
    )
  return tab.router
}

/** The default export: the router of the page that is shown. */
export interface SingletonRouter extends NextRouter {
  router: NextRouter | null
  /** Runs a function when the page has a router: now, or when it is hydrated. */
  ready(run: () => void): void
}

const FIELDS = [
  'route',
  'pathname',
  'query',
  'asPath',
  'basePath',
  'isFallback',
  'isReady',
  'isPreview',
  'isLocaleDomain',
  'locale',
  'locales',
  'defaultLocale',
] as const satisfies (keyof NextRouter)[]
const METHODS = ['push', 'replace', 'reload', 'back', 'forward', 'prefetch', 'beforePopState'] as const

const own = {
  events,
  ready(run: () => void) {
    if (tab.router) run()
    else if (typeof window !== 'undefined') tab.waiting.push(run)
  },
}
const getters = Object.fromEntries(FIELDS.map((name) => [name, { enumerable: true, get: () => current()[name] }]))
/** Modules take methods from the router while they are loaded, before it can be called. */
const methods = Object.fromEntries(
  METHODS.map((name) => {
    const value = (...given: unknown[]) => (current()[name] as (...given: unknown[]) => unknown)(...given)
    return [name, { enumerable: true, writable: true, value }]
  }),
)
// The cast: these are the members of NextRouter that `own` lacks.
const singleton = Object.defineProperties(own, {
  ...getters,
  ...methods,
  router: { enumerable: true, get: () => tab.router ?? null },
}) as unknown as SingletonRouter

export default singleton

/** The class of routers, which sites name for its events: `Router.events.on('routeChangeStart', …)`. */
export class Router {
  static readonly events: RouterEvents = events

  /** Throws: the page makes its router, and its methods are those of the default export. */
  constructor() {
    throw new Error('A router of next/router cannot be made: use the default export, or useRouter in components.')
  }
}

/** Throws, as the constructor does. */
export function createRouter(): NextRouter {
  throw new Error('createRouter of next/router is the start of Next.js itself: use the default export of next/router.')
}

/** A copy of a router, whose state is that of the moment. */
export function makePublicRouterInstance(router: NextRouter): NextRouter {
  return { ...router, query: { ...router.query }, events }
}
