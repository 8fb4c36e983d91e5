// In place of the router from the start of the page: a call before the router's code has arrived waits for the code, or
// becomes a full load (N5). The code is loaded when the page is hydrated, loaded and idle, or at the first click, hover,
// focus, or step back.

import { ROUTE_LOAD_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { BeforePopState, LinkHost, NavigateOptions } from '../../react/router-context.ts'
import type { BrowserRouter, Navigation } from '../navigation/navigation.ts'
import { addressOf, canFollow, pageOf } from '../tab.ts'
import type { View } from '../view.ts'

// Loads the code of the router: once, and again after a failure.

interface RouterCode {
  /** The router, once its code has arrived. */
  router?: BrowserRouter
  /** The prefetching of links: resolves when the code has arrived, and does not begin to load the code. */
  links: Promise<Navigation['links']>
  /** Begins to load the code. Rejects when the code cannot be loaded. */
  load(): Promise<Navigation>
  /** Loads the code; resolves at the time limit of a navigation at the latest (N5). Never rejects. */
  loadInTime(): Promise<void>
}

function createRouterCode(begin: () => Promise<Navigation>): RouterCode {
  let loading: Promise<Navigation> | undefined
  let arrive: (links: Navigation['links']) => void
  const code: RouterCode = {
    links: new Promise((resolve) => {
      arrive = resolve
    }),
    load() {
      loading ??= begin().then(
        (navigation) => {
          code.router = navigation.router
          arrive(navigation.links)
          return navigation
        },
        (error: unknown) => {
          loading = undefined
          throw error
        },
      )
      return loading
    },
    async loadInTime() {
      if (code.router) return
      const late = new Promise((resolve) => setTimeout(resolve, ROUTE_LOAD_TIMEOUT_MS))
      await Promise.race([code.load().catch(() => {}), late])
    },
  }
  return code
}

interface LateRouterDeps {
  basePath: string
  /** Loads the code and creates the router. */
  load: () => Promise<Navigation>
  /** A navigation to the address waits for the code of the router; undefined: no navigation waits any more. */
  onWait: (address: string | undefined) => void
  loadInFull: (url: string, reason: string) => void
}

export interface LateRouter {
  push(url: string, options?: NavigateOptions): Promise<boolean>
  replace(url: string, options?: NavigateOptions): Promise<boolean>
  prefetch(url: string): Promise<void>
  beforePopState(callback: (state: BeforePopState) => boolean): void
  applyData(data: PageData, url: string): Promise<void>
  /** Fetches the data of the shown page again. */
  refresh(): Promise<void>
  /** Called by the view layer when a view is in the document. */
  onShown(view: View): void
  /** Begins to load the code; resolves with the router. Rejects when the code cannot be loaded. */
  load(): Promise<Navigation>
  links: LinkHost
}

export function createLateRouter({ basePath, load, onWait, loadInFull }: LateRouterDeps): LateRouter {
  const code = createRouterCode(load)
  const shown = pageOf(location)
  const isHere: IsHere = (target) => pageOf(target) === shown
  /** The number of navigations and steps through history so far: the last one wins (N6). */
  let moves = 0
  let mayPop: ((state: BeforePopState) => boolean) | undefined

  const navigateLate: Navigate = async (mode, url, options) => {
    const target = new URL(url, location.href)
    const move = ++moves
    onWait(addressOf(target))
    await code.loadInTime()
    if (code.router) return code.router[mode](url, options)
    if (move !== moves) return false
    onWait(undefined)
    // SECURITY: javascript: URLs have no host.
    if (!target.host) return false
    location[mode === 'push' ? 'assign' : 'replace'](url)
    // The browser leaves the document, unless only the hash differs.
    return isHere(target) || new Promise(() => {})
  }

  const navigate: Navigate = (mode, url, options) =>
    code.router?.[mode](url, options) ?? navigateLate(mode, url, options)

  addEventListener('popstate', async () => {
    const url = addressOf(location)
    if (mayPop && !mayPop({ url, as: url, options: {} })) return
    const move = ++moves
    const isMove = isHere(location)
    if (!code.router) {
      onWait(isMove ? undefined : url)
      // A step within the shown page loads nothing: the router is notified whenever its code arrives.
      await (isMove ? code.load().catch(() => {}) : code.loadInTime())
    }
    if (code.router) code.router.popped()
    // The browser already shows the address.
    else if (move === moves && !isHere(location)) location.reload()
  })

  return {
    push: (url, options) => navigate('push', url, options),
    replace: (url, options) => navigate('replace', url, options),
    // A failed prefetch is silent: the click will show the failure (P3).
    prefetch: (url) =>
      code
        .load()
        .then(({ router }) => router.prefetch(url, 'intent'))
        .catch(() => {}),
    beforePopState(callback) {
      mayPop = callback
    },
    async applyData(data, url) {
      await code.loadInTime()
      if (code.router) await code.router.applyData(data, url)
      else location.reload()
    },
    async refresh() {
      await code.loadInTime()
      if (code.router) await code.router.refresh()
      else loadInFull(addressOf(location), 'code')
    },
    onShown: (view) => code.router?.onShown(view),
    load: code.load,
    links: createLateLinks(code, navigate, isHere, basePath),
  }
}

type Navigate = (mode: 'push' | 'replace', url: string, options?: NavigateOptions) => Promise<boolean>
/** Whether an address is that of the page in the document. */
type IsHere = (target: Pick<URL, 'pathname' | 'search'>) => boolean

function createLateLinks(code: RouterCode, navigate: Navigate, isHere: IsHere, basePath: string): LinkHost {
  return {
    follow(href, { replace, ...options }) {
      const target = new URL(href, location.href)
      if (!canFollow(target, basePath)) return false
      // The browser moves within a page by itself.
      if (!code.router && target.hash && isHere(target) && !replace && Object.keys(options).length === 0) return false
      void navigate(replace ? 'replace' : 'push', target.href, options)
      return true
    },
    observe(element, href) {
      let isGone = false
      let stop = () => {
        isGone = true
      }
      void code.links.then(({ observe }) => {
        if (!isGone) stop = observe(element, href)
      })
      return () => stop()
    },
    intend(href) {
      code
        .load()
        .then(({ links }) => links.intend(href))
        .catch(() => {})
    },
  }
}
