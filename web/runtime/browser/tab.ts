// The browser's tab as the start of a page needs it, and later the router: addresses and history entries, route events,
// scroll positions, the pending bar, and loads of whole documents.

import { FULL_LOAD_GUARD_MS, PENDING_BAR_DELAY_MS } from '@portico/shared/wire/constants.ts'
import { isApiPath, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { RouterEventName, RouterEvents } from '../react/router-context.ts'

/** Path, query and hash. */
export function addressOf({ pathname, search, hash }: Pick<URL, 'pathname' | 'search' | 'hash'>): string {
  return pathname + search + hash
}

/** What a document is loaded for: path and query. */
export function pageOf({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string {
  return pathname + search
}

/**
 * Whether a client transition may lead to the address (N4). SECURITY: never to a path that begins with two slashes: the
 * path is of this site (`/.//host`), but names another host when it is resolved again without its origin.
 */
export function canFollow({ origin, pathname }: URL, basePath: string): boolean {
  const path = stripBasePath(pathname, basePath)
  return origin === location.origin && path !== undefined && !isApiPath(path) && !pathname.startsWith('//')
}

/** The key that this framework gave the current history entry. */
export function historyKey(): string | undefined {
  return (history.state as { portico?: string } | null)?.portico
}

export function createKey(): string {
  return Math.random().toString(36).slice(2)
}

// Route events (N2): `router.events.on('routeChangeStart', …)`.

export interface RouterEmitter extends RouterEvents {
  emit(name: RouterEventName, ...details: unknown[]): void
}

export function createEvents(): RouterEmitter {
  const listeners = new Map<RouterEventName, Set<(...details: unknown[]) => void>>()
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(listener))
    },
    off(name, listener) {
      listeners.get(name)?.delete(listener)
    },
    emit(name, ...details) {
      for (const listener of listeners.get(name) ?? []) listener(...details)
    },
  }
}

// Loads a target as a document, once: a second load for the same reason within 10 s is a loop, and an error (N5).

/**
 * Reasons that are not faults: an address outside the router, or with another policy, is a plain link (N4, G6), and a user
 * may try again.
 */
const ORDINARY: readonly string[] = ['no-route', 'policy', 'redirect', 'retry']

/** Loads the target. When that was just tried, `fail` shows the error screen instead, whose button loads the target again. */
export function loadInFull(url: string, reason: string, fail: (error: Error) => void, now = Date.now()): void {
  if (!ORDINARY.includes(reason) && isSecondTry(`portico:${reason} ${url}`, now)) {
    const retry = () => loadInFull(url, 'retry', fail)
    fail(Object.assign(new Error(`The page cannot be loaded (${reason}).`), { retry }))
    return
  }
  const target = new URL(url, location.href)
  // Assigning the current address, or one that differs in its hash only, would not load anything.
  if (pageOf(target) === pageOf(location)) {
    if (target.hash !== location.hash) history.replaceState(history.state, '', target)
    location.reload()
  } else location.assign(target)
}

/** Whether the mark was set within the last 10 s; if not, sets it. */
function isSecondTry(mark: string, now: number): boolean {
  try {
    // A value that another script wrote is not a time.
    if (now - Number(sessionStorage.getItem(mark) ?? Number.NaN) < FULL_LOAD_GUARD_MS) return true
    sessionStorage.setItem(mark, `${now}`)
  } catch {
    // Storage may be forbidden or full: then there is no guard, as for a plain link.
  }
  return false
}

// The thin bar that shows that a navigation is under way (N6). Without React: it must show before the router is loaded.

let timer: ReturnType<typeof setTimeout> | undefined
let bar: HTMLElement | undefined

/** Shows the bar when a navigation is still under way 150 ms after the first call with true; removes it with false. */
export function showPendingBar(isPending: boolean): void {
  if (isPending) {
    timer ??= setTimeout(() => {
      bar = createBar()
      document.body.append(bar)
    }, PENDING_BAR_DELAY_MS)
    return
  }
  clearTimeout(timer)
  timer = undefined
  bar?.remove()
}

function createBar(): HTMLElement {
  const created = document.createElement('div')
  created.id = 'portico-pending'
  created.role = 'progressbar'
  created.ariaLabel = 'Loading'
  created.style.cssText =
    'position:fixed;z-index:2147483647;inset:0 0 auto;height:2px;pointer-events:none;background:var(--portico-pending,currentColor);transform-origin:0 0'
  if (!matchMedia('(prefers-reduced-motion:reduce)').matches)
    created.animate(
      { scale: ['.05 1', '.95 1'] },
      { duration: 8000, easing: 'cubic-bezier(0,.7,.2,1)', fill: 'forwards' },
    )
  return created
}

// Scroll positions by history entry, kept over reloads (N3).

export const SCROLL_KEY = 'portico:scroll'

export type ScrollPositions = Record<string, [x: number, y: number]>

export function readScrollPositions(): ScrollPositions {
  try {
    return (JSON.parse(sessionStorage.getItem(SCROLL_KEY) ?? '{}') ?? {}) as ScrollPositions
  } catch {
    // Forbidden or damaged storage: start without positions.
    return {}
  }
}

/** Scrolls to the position of this entry; stays where no position is known. */
export function restoreScroll(key: string, positions = readScrollPositions()): void {
  const position = positions[key]
  if (position) scrollTo({ left: position[0], top: position[1], behavior: 'instant' })
}
