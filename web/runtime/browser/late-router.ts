// Stands for the router from the first moment: what is asked before its code is there waits for it, or becomes a full
// load (N5). The code comes when the page is hydrated and idle, or at the first click, hover, focus, or step back.

import { ROUTE_LOAD_TIMEOUT_MS } from '../../../services/shared/wire/constants.ts'
import type { PageData } from '../../../services/shared/wire/page-data.ts'
import type { BeforePopState, LinkHost, NavigateOptions } from '../react/router-context.ts'
import { addressOf, canFollow } from './address.ts'
import type { Navigation } from './navigation.ts'
import type { View } from './view.ts'

export interface LateRouterDeps {
  basePath: string
  /** Loads the code and puts the router together. */
  load: () => Promise<Navigation>
  /** A navigation waits for the code of the router. */
  onWait: (address: string) => void
}

export interface LateRouter {
  push(url: string, options?: NavigateOptions): Promise<boolean>
  replace(url: string, options?: NavigateOptions): Promise<boolean>
  prefetch(url: string): Promise<void>
  beforePopState(callback: (state: BeforePopState) => boolean): void
  applyData(data: PageData, url: string): Promise<void>
  /** Called by the view layer when a view is in the document. */
  onCommitted(view: View): void
  /** The router as soon as it is there; begins to load it. Rejects when the code cannot be had. */
  load(): Promise<Navigation>
  links: LinkHost
}

export function createLateRouter({ basePath, load: begin, onWait }: LateRouterDeps): LateRouter {
  let navigation: Navigation | undefined
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

  const navigate = async (mode: 'push' | 'replace', url: string, options?: NavigateOptions): Promise<boolean> => {
    if (!navigation) onWait(addressOf(new URL(url, location.href)))
    const there = await inTime()
    if (there) return there.router[mode](url, options)
    location[mode === 'push' ? 'assign' : 'replace'](url)
    // The document ends here.
    return new Promise(() => {})
  }

  addEventListener('popstate', async () => {
    const url = addressOf(location)
    if (mayPop && !mayPop({ url, as: url, options: {} })) return
    const there = await inTime()
    if (there) there.router.popped()
    // The address is the browser's already.
    else location.reload()
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
    onCommitted: (view) => navigation?.router.onCommitted(view),
    load,
    links: {
      follow(href, { replace, ...options }) {
        const target = new URL(href, location.href)
        if (!canFollow(target, basePath)) return false
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
