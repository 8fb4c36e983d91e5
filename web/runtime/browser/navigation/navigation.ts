// Creates the router and its parts. Loaded when the page is hydrated, loaded and idle, or at the first click; until then
// late-router.ts receives the calls.

import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import { createElement, lazy, startTransition, useInsertionEffect } from 'react'
import type { LinkHost } from '../../react/contexts/router-context.ts'
import { localeOfUrl } from '../../react/locale-paths.ts'
import type { Screen } from '../../react/screens/boundaries.tsx'
import { defaultScreen } from '../../react/screens/screens.tsx'
import { createAnnouncer } from '../boot/announcer.ts'
import type { PageComponent, RootControls, View } from '../boot/view.ts'
import { endCutDocument } from '../deferred/cut-document.ts'
import { createLinks } from '../prefetch/links.ts'
import { createRouteLoader, type RouteLoader } from '../prefetch/load-route.ts'
import { createDataFetcher, pageDataUrl } from '../prefetch/page-data.ts'
import { appliedStyles, applyStyles, startStyles, stylesOf } from '../prefetch/page-styles.ts'
import { createPrefetcher } from '../prefetch/prefetch.ts'
import { createViewLoader } from '../prefetch/view-loader.ts'
import { createKey } from './address.ts'
import type { RouterEmitter } from './events.ts'
import { loadInFull } from './full-load.ts'
import { showPendingBar } from './pending-bar.ts'
import { type BrowserRouter, createRouter } from './router.ts'
import type { Entry } from './router-model.ts'
import { createScrollKeeper } from './scroll.ts'

// For a document that shows a default screen.
export { defaultScreen }

export interface NavigationDeps {
  basePath: string
  trailingSlash: boolean
  buildId: string
  /** The page in the document, with its files and its history entry. */
  files: RouteFiles
  shown: View
  entry: Entry
  events: RouterEmitter
  controls: RootControls
}

export interface Navigation {
  router: BrowserRouter
  links: Pick<LinkHost, 'observe' | 'intend'>
  /** Drops all prefetched data, in this tab and in others (P4). */
  dropPrefetched(): void
  /** Takes the place of the page shown. */
  Screen: Screen
}

export function createNavigation({
  basePath,
  trailingSlash,
  buildId,
  files,
  shown,
  entry,
  events,
  controls,
}: NavigationDeps): Navigation {
  endCutDocument()
  shown.styles = stylesOf(files)
  startStyles(shown.styles)
  const loader = createRouteLoader({ basePath, buildId })
  const sessions = 'BroadcastChannel' in window ? new BroadcastChannel('portico-session') : undefined
  const dropPrefetched = () => {
    prefetcher.clear()
    sessions?.postMessage(0)
  }
  const fetchData = createDataFetcher({
    buildId,
    fetch: (...request) => fetch(...request),
    onSessionChange: dropPrefetched,
  })
  const prefetcher = createPrefetcher({
    now: () => performance.now(),
    fetchData: (url, signal, prefetch) =>
      fetchData(pageDataUrl(basePath, buildId, url), { signal, retry: false, prefetch }),
  })
  sessions?.addEventListener('message', () => prefetcher.clear())
  // A page in the back/forward cache received no messages of other tabs.
  addEventListener('pageshow', ({ persisted }) => persisted && prefetcher.clear())

  const router = createRouter({
    basePath,
    first: shown,
    entry,
    views: createViewLoader({
      basePath,
      trailingSlash,
      buildId,
      documentRoute: shown.route,
      loader,
      fetchData,
      prefetcher,
    }),
    cancelPrefetch: prefetcher.cancel,
    scroll: createScrollKeeper(entry.key),
    events,
    loadInFull: (url, reason) => loadInFull(url, reason, controls.setFailure),
    announce: process.env.PORTICO_I18N ? withLanguage(createAnnouncer(), loader, basePath) : createAnnouncer(),
    createKey,
    show: (view, onApply) =>
      startTransition(() => {
        // The stylesheets apply together with the page's elements: until then the previous page keeps its styles (N7).
        const apply = () => {
          applyStyles(view.styles)
          onApply()
        }
        controls.setView({ ...view, onApply: apply })
        if (view.navigationId === undefined) return
        // React may delay the page: for the animation of an earlier change, or until the page no longer suspends.
        showPendingBar(true)
        controls.setPending(undefined)
      }),
    setPending(address) {
      showPendingBar(address !== undefined)
      controls.setPending(address)
    },
  })
  return {
    router,
    links: createLinks(router),
    dropPrefetched,
    Screen: createScreen(loader),
  }
}

/** As in Next.js: the language of the document follows the page, also where `_document` has named one. */
function withLanguage(announce: (movesFocus: boolean) => void, loader: RouteLoader, basePath: string): typeof announce {
  return (movesFocus) => {
    announce(movesFocus)
    void loader.manifest().then(({ i18n }) => {
      const locale = localeOfUrl(i18n, location.pathname, basePath)
      if (locale !== undefined) document.documentElement.lang = locale
    })
  }
}

function createScreen(loader: RouteLoader): Screen {
  const screenOf = (route: string) => lazy(async () => ({ default: await loadScreen(loader, route) }))
  const NotFound = screenOf('/404')
  const ErrorPage = screenOf('/_error')
  return (flow) =>
    flow.kind === 'refused'
      ? createElement(ErrorPage, { statusCode: flow.status })
      : createElement(NotFound, { statusCode: 404 })
}

async function loadScreen(loader: RouteLoader, route: string): Promise<PageComponent> {
  try {
    const screen = (await loader.manifest()).screens.find(({ pattern }) => pattern === route)
    if (!screen?.files) return defaultScreen(route)
    const { Page, styles } = await loader.load(screen.files)
    // The screen replaces a page that is shown, without a navigation that would apply its stylesheets.
    return function ScreenOfSite(props) {
      useInsertionEffect(() => {
        const replaced = appliedStyles()
        applyStyles(styles)
        return () => applyStyles(replaced)
      }, [])
      return createElement(Page, props)
    }
  } catch {
    // The app folder's own screen cannot be loaded.
    return defaultScreen(route)
  }
}
