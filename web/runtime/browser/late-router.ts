// Stands for the router from the first moment: what is asked before its code is there waits for it, or becomes a full
// load (N5). The code comes when the page is hydrated and idle, or at the first click, hover, focus, or step back.

import { ROUTE_LOAD_TIMEOUT_MS } from '../../../services/shared/wire/constants.ts'
import type { PageData } from '../../../services/shared/wire/page-data.ts'
import type { BeforePopState, LinkHost, NavigateOptions } from '../react/router-context.ts'
import { addressOf, canFollow, pageOf } from './address.ts'
import type { Navigation } from './navigation.ts'
import type { View } from './view.ts'

export interface LateRouterDeps {
  basePath: string
  /** Loads the code and puts the router together. */
  load: () => Promise<Navigation>
  /** A navigation to the address waits for the code of the router; undefined: it is not waited for any more. */
  onWait: (address: string | undefined) => void
  loadInFull: (url: string, reason: string) => void
}

export interface LateRouter {
  push(url: string, options?: NavigateOptions): Promise<boolean>
  replace(url: string, options?: NavigateOptions): Promise<boolean>
  prefetch(url: string): Promise<void>
  beforePopState(callback: (state: BeforePopState) => boolean): void
  applyData(data: PageData, url: string): Promise<void>
  /** Asks for the shown page's data anew. */
  refresh(): Promise<void>
  /** Called by the view layer when a view is in the document. */
  onShown(view: View): void
  /** The router as soon as it is there; begins to load it. Rejects when the code cannot be had. */
  load(): Promise<Navigation>
  links: LinkHost
}

export function createLateRouter({ basePath, load: begin, onWait, loadInFull }: LateRouterDeps): LateRouter {
  let navigation: Navigation | undefined
  const shown = pageOf(location)
  /** How often the visitor went anywhere: the last time counts (N6). */
  let moves = 0
  let loading: Promise<Navigation> | undefined
  let mayPop: ((state: BeforePopState) => boolean) | undefined
  let announceLinks: (links: Navigation['links']) => void
  const links = new Promise<Navigation['links']>((done) => {
    announceLinks = done
  })

  const load = () => {
    loading ??= begin().then(
      (made) => {
        navigation = made
        announceLinks(made.links)
        return made
      },
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }

  /** The router, if it comes in time. */
  const inTime = async (): Promise<Navigation | undefined> => {
    if (navigation) return navigation
    const late = new Promise<undefined>((done) => setTimeout(done, ROUTE_LOAD_TIMEOUT_MS))
    return Promise.race([load().catch(() => undefined), late])
  }

  const isHere = (target: Pick<URL, 'pathname' | 'search'>) => pageOf(target) === shown

  const navigate = (mode: 'push' | 'replace', url: string, options?: NavigateOptions): Promise<boolean> =>
    navigation ? navigation.router[mode](url, options) : navigateLate(mode, url, options)

  const navigateLate = async (mode: 'push' | 'replace', url: string, options?: NavigateOptions): Promise<boolean> => {
    const target = new URL(url, location.href)
    const move = ++moves
    onWait(addressOf(target))
    const there = await inTime()
    if (there) return there.router[mode](url, options)
    if (move !== moves) return false
    onWait(undefined)
    location[mode === 'push' ? 'assign' : 'replace'](url)
    // The document ends here, unless only the hash is another.
    return isHere(target) || new Promise(() => {})
  }

  addEventListener('popstate', async () => {
    const url = addressOf(location)
    if (mayPop && !mayPop({ url, as: url, options: {} })) return
    if (navigation) return navigation.router.popped()
    const move = ++moves
    // Within the page shown there is nothing to load: the router is only told, whenever it comes.
    onWait(isHere(location) ? undefined : url)
    const there = await (isHere(location) ? load().catch(() => undefined) : inTime())
    if (there) there.router.popped()
    // The address is the browser's already.
    else if (move === moves && !isHere(location)) location.reload()
  })

  return {
    push: (url, options) => navigate('push', url, options),
    replace: (url, options) => navigate('replace', url, options),
    // A failed prefetch is silent: the click will show what is wrong (P3).
    prefetch: (url) =>
      load()
        .then(({ router }) => router.prefetch(url, 'intent'))
        .catch(() => {}),
    beforePopState(callback) {
      mayPop = callback
    },
    async applyData(data, url) {
      const there = await inTime()
      if (there) await there.router.applyData(data, url)
      else location.reload()
    },
    async refresh() {
      const there = await inTime()
      if (there) await there.router.refresh()
      else loadInFull(addressOf(location), 'code')
    },
    onShown: (view) => navigation?.router.onShown(view),
    load,
    links: {
      follow(href, { replace, ...options }) {
        const target = new URL(href, location.href)
        if (!canFollow(target, basePath)) return false
        // The browser moves within a page by itself.
        if (!navigation && target.hash && isHere(target) && !replace && Object.keys(options).length === 0) return false
        void navigate(replace ? 'replace' : 'push', addressOf(target), options)
        return true
      },
      observe(element, href) {
        let isGone = false
        let forget = () => {
          isGone = true
        }
        void links.then(({ observe }) => {
          if (!isGone) forget = observe(element, href)
        })
        return () => forget()
      },
      intend(href) {
        load()
          .then(({ links: { intend } }) => intend(href))
          .catch(() => {})
      },
    },
  }
}
