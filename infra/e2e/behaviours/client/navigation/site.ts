// The fixture as the navigation tests open it: pages that are live, and pages whose router is late.

import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core'
import { inject } from 'vitest'
import { hydrated, openPage, type WatchedPage } from '../../../harness/chromium.ts'
import { connectChromium } from '../../../harness/shared.ts'

export interface NavigationSite {
  baseUrl: string
  browser: Browser
  /** A page that is live; its router may not be loaded yet. */
  open: (path: string, options?: BrowserContextOptions) => Promise<WatchedPage>
  /** A page without JavaScript. */
  openPlain: (path: string) => Promise<WatchedPage>
  /** A page whose router code waits until `release` lets `respond` send it. */
  openEarly: (
    path: string,
    respond: (route: Route) => Promise<void>,
  ) => Promise<WatchedPage & { release: () => void; routerRequests: () => number }>
  stop: () => Promise<void>
}

export const DATA_OF_SIX = /\/_portico\/data\/[^/]+\/items\/six\.json/
export const ROUTER_CODE = /static\/framework-router-.*\.js/

export async function startNavigationSite(options?: { keepsPages: boolean }): Promise<NavigationSite> {
  const { baseUrl } = inject('fixture')
  const browser = await connectChromium(options)
  return {
    baseUrl,
    browser,
    async open(path, contextOptions) {
      const watched = await openPage(browser, contextOptions)
      await watched.page.goto(baseUrl + path)
      await hydrated(watched.page, 'nav a')
      return watched
    },
    async openPlain(path) {
      const watched = await openPage(browser, { javaScriptEnabled: false })
      await watched.page.goto(baseUrl + path)
      return watched
    },
    async openEarly(path, respond) {
      const watched = await openPage(browser)
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      let requests = 0
      await watched.page.route(ROUTER_CODE, async (route) => {
        requests++
        await released
        await respond(route).catch(() => {})
      })
      await watched.page.goto(baseUrl + path)
      await hydrated(watched.page, 'nav a')
      return { ...watched, release, routerRequests: () => requests }
    },
    stop: () => browser.close(),
  }
}

export const heading = (page: Page, text: string) => page.locator('h1', { hasText: text }).waitFor({ timeout: 10_000 })

/** Requests of these addresses wait until the returned function is called. */
export async function holdRequests(page: Page, address: string | RegExp): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await released
    // The page may have aborted the request.
    await route.continue().catch(() => {})
  })
  return release
}
