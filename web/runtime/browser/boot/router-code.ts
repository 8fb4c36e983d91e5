// Loads the code of the router: once, and again after a failure.

import { ROUTE_LOAD_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import type { Navigation } from '../navigation/navigation.ts'
import type { BrowserRouter } from '../navigation/router.ts'

export interface RouterCode {
  /** The router, once its code has arrived. */
  router?: BrowserRouter
  /** The prefetching of links: resolves when the code has arrived, and does not begin to load the code. */
  links: Promise<Navigation['links']>
  /** Begins to load the code. Rejects when the code cannot be loaded. */
  load(): Promise<Navigation>
  /** Loads the code; resolves at the time limit of a navigation at the latest (N5). Never rejects. */
  loadInTime(): Promise<void>
}

export function createRouterCode(begin: () => Promise<Navigation>): RouterCode {
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
