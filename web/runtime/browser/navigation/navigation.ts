// Creates the router and its parts. Loaded when the page is hydrated, loaded and idle, or at the first click; until then
// late-router.ts receives the calls.
// Guarantees: the last navigation wins (N6), each effect of a transition is performed once and in order, and what cannot be
// shown here is loaded as a document (N5).
// Leaves what a view is made of to views, and the page that is shown to React.

import { DEFERRED_SILENCE_MS } from '@portico/shared/wire/constants.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import { createElement, lazy, startTransition, useInsertionEffect } from 'react'
import type { Screen } from '../../react/boundaries.tsx'
import { localeOfUrl } from '../../react/locale-paths.ts'
import type { LinkHost } from '../../react/router-context.ts'
import { defaultScreen } from '../../react/screens.tsx'
import { createKey, loadInFull, type RouterEmitter, showPendingBar } from '../tab.ts'
import type { PageComponent, RootControls, View } from '../view.ts'
import {
  appliedStyles,
  applyStyles,
  createDataFetcher,
  createLinks,
  createPrefetcher,
  createRouteLoader,
  createViewLoader,
  pageDataUrl,
  type RouteLoader,
  startStyles,
  stylesOf,
} from '../views/views.ts'
import { type BrowserRouter, createRouter } from './router.ts'
import type { Entry } from './router-model.ts'
import { createScrollKeeper } from './scroll.ts'

export type { Place } from './places.ts'
export type { BrowserRouter } from './router.ts'
export type { Effect, Entry } from './router-model.ts'

const CHECK_MS = 1000
/** The member of placeholders, as lines.ts has it: an import would make the first load of other code larger. */
const PLACEHOLDER = '"$deferred":'

// Ends a document whose connection broke while values were to follow: browsers report such an end by nothing at all.

/** Watches a document with deferred data until it is complete. */
export function endCutDocument(): void {
  if (document.readyState !== 'loading' || !document.body.textContent.includes(PLACEHOLDER)) return
  const elements = document.getElementsByTagName('*')
  let count = 0
  let silentMs = 0
  const timer = setInterval(() => {
    if (document.readyState !== 'loading') return clearInterval(timer)
    silentMs = elements.length === count ? silentMs + CHECK_MS : 0
    count = elements.length
    if (silentMs < DEFERRED_SILENCE_MS) return
    // The document is complete then; React renders its waiting parts again at the event, and their values have failed.
    stop()
    document.dispatchEvent(new Event('DOMContentLoaded'))
  }, CHECK_MS)
}

// Announces a new page to screen readers, and moves the focus to the page (N3).

/**
 * Announces the title, or without one the heading or the path, and moves the focus to the start of the page without
 * scrolling, soon after the call.
 */
export function createAnnouncer(): (movesFocus: boolean) => void {
  const region = document.createElement('p')
  region.id = 'portico-announcer'
  region.setAttribute('aria-live', 'assertive')
  // Invisible, and no part of what scrolls.
  region.style.cssText = 'position:fixed;clip-path:inset(50%)'
  document.body.append(region)
  let focused: EventTarget | null = document.activeElement
  document.addEventListener('focusin', ({ target }) => {
    focused = target
  })
  const announce = (movesFocus: boolean) => {
    region.textContent = document.title || find('h1')?.textContent || location.pathname
    // A move within a page may also remove the focused element, for example a link that search results replaced.
    const isLost = document.activeElement === document.body && focused instanceof Element && !focused.isConnected
    if (!movesFocus && !isLost) return
    const start = find('main h1') ?? find('h1') ?? find('main') ?? document.body
    if (!start.hasAttribute('tabindex')) {
      start.setAttribute('tabindex', '-1')
      // The router, not the user, focuses the heading: no focus ring.
      start.style.outline = 'none'
    }
    start.focus({ preventScroll: true })
  }
  // After the new page was painted: announcement and focus are invisible and take time.
  return (movesFocus) => requestAnimationFrame(() => setTimeout(announce, 0, movesFocus))
}

function find(selector: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(selector)
}

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
