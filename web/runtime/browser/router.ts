// The browser's router: performs the machine's effects with real history, fetches and views.

import type { PageData } from '../../../services/shared/wire/page-data.ts'
import { splitTarget } from '../../../services/shared/wire/urls.ts'
import type { NavigateOptions, RouterEventName } from '../react/router-context.ts'
import { addressOf, canFollow, historyKey } from './address.ts'
import type { RouterEmitter } from './events.ts'
import { RouteLoadError } from './load-route.ts'
import { markNavigations } from './navigation-marks.ts'
import type { PrefetchPriority } from './prefetch.ts'
import {
  createMachineState,
  type Effect,
  type Entry,
  type MachineEvent,
  type Pending,
  reduce,
  withoutHash,
} from './router-machine.ts'
import type { ScrollKeeper } from './scroll.ts'
import type { View } from './view.ts'
import type { ViewLoader } from './view-loader.ts'

export interface RouterDeps {
  basePath: string
  /** What is shown, and its place in the history. */
  first: View
  entry: Entry
  views: ViewLoader
  /** A link left the view before its prefetch began. */
  cancelPrefetch: (address: string) => void
  scroll: ScrollKeeper
  events: RouterEmitter
  /** Shows a view in a transition; `onCommitted` of this router is called when it is in the document. */
  show: (view: View) => void
  setPending: (location: string | undefined) => void
  /** Tells screen readers the title; moves the focus only where another page is shown. */
  announce: (movesFocus: boolean) => void
  /** false when the guard says that it was just tried. */
  loadInFull: (url: string, reason: string) => boolean
  /** Shows the application error screen. */
  fail: (error: Error) => void
  createKey: () => string
}

export interface BrowserRouter {
  push(url: string, options?: NavigateOptions): Promise<boolean>
  replace(url: string, options?: NavigateOptions): Promise<boolean>
  prefetch(url: string, priority: PrefetchPriority): Promise<void>
  cancelPrefetch(url: string): void
  /** Asks for the shown page's data anew. */
  refresh(): Promise<void>
  /** Shows data of an address, if that is still the page shown. */
  applyData(data: PageData, url: string): Promise<void>
  /** The visitor went back or forward; the browser's address is there already. */
  popped(): void
  /** Called by the view layer when a view is in the document. */
  onCommitted(view: View): void
}

export function createRouter(deps: RouterDeps): BrowserRouter {
  const { basePath, views, events, scroll } = deps
  let machine = createMachineState(deps.entry)
  let view = deps.first
  let controller = new AbortController()
  const settle = new Map<number, (shown: boolean) => void>()

  markNavigations(events)

  const dispatch = (event: MachineEvent): void => {
    const transition = reduce(machine, event)
    machine = transition.state
    for (const effect of transition.effects) perform(effect)
    deps.setPending(machine.pending?.url)
  }

  const perform = (effect: Effect): void => {
    switch (effect.kind) {
      case 'abort':
        controller.abort()
        settle.get(effect.id)?.(false)
        settle.delete(effect.id)
        emit('routeChangeError', Object.assign(new Error('Route cancelled'), { cancelled: true }), effect.url)
        break
      case 'load':
        controller = new AbortController()
        emit('routeChangeStart', effect.url)
        void load(effect.id, effect.url, controller.signal)
        break
      case 'commit':
        // The view carries the navigation; history is written when it is in the document.
        coming = effect.pending
        if (next) deps.show({ ...next.view, pending: coming })
        break
      case 'move':
        move(effect)
        break
      case 'full-load':
        if (!deps.loadInFull(effect.url, effect.reason))
          deps.fail(new Error(`The page cannot be loaded (${effect.reason}).`))
        break
    }
  }

  const move = ({ entry, mode, scroll: how, shallow }: Extract<Effect, { kind: 'move' }>) => {
    emit(shallow ? 'routeChangeStart' : 'hashChangeStart', entry.url)
    writeHistory(mode, entry.url, entry.key, shallow)
    scroll.follow(entry.key)
    view = { ...view, url: entry.url }
    deps.show(view)
    if (how === 'restore') scroll.restore(entry.key)
    else if (how === 'target' && !shallow) scroll.toTarget(new URL(entry.url, location.href).hash)
    emit(shallow ? 'routeChangeComplete' : 'hashChangeComplete', entry.url)
  }

  let next: { view: View; isStale: boolean } | undefined
  /** A navigation whose view was handed over and is not in the document yet: it may wait for an earlier one's motion. */
  let coming: Pending | undefined
  const load = async (id: number, url: string, signal: AbortSignal): Promise<void> => {
    try {
      const loaded = await views.load(url, signal)
      if (signal.aborted) return
      if (loaded.kind === 'view') {
        next = loaded
        return dispatch({ kind: 'loaded', id })
      }
      const target = new URL(loaded.location, new URL(url, location.href))
      if (!canFollow(target, basePath)) dispatchFull(id, target.href)
      else dispatch({ kind: 'redirected', id, url: addressOf(target) })
    } catch (error) {
      if (signal.aborted) return
      dispatch({ kind: 'failed', id, reason: error instanceof RouteLoadError ? error.reason : 'code' })
    }
  }

  const dispatchFull = (id: number, href: string) => {
    if (machine.pending?.id !== id) return
    machine = { shown: machine.shown, lastId: machine.lastId }
    deps.loadInFull(href, 'redirect')
    deps.setPending(undefined)
  }

  const onCommitted = (committed: View) => {
    const before = splitTarget(view.url).pathname
    // A navigation is completed once: views made from this one must not carry it.
    const { pending, ...rest } = committed
    view = rest
    if (!pending) return
    if (coming?.id === pending.id) coming = undefined
    emit('beforeHistoryChange', pending.url)
    // Whoever stepped back meanwhile is at another entry already, which this one must not overwrite.
    if (machine.pending?.mode !== 'pop') writeHistory(pending.mode, pending.url, pending.key, false)
    scroll.follow(pending.key)
    if (pending.scroll === 'restore') scroll.restore(pending.key)
    else if (pending.scroll === 'target') scroll.toTarget(new URL(pending.url, location.href).hash)
    // Typing into a search field changes the query only; the field must keep the focus.
    deps.announce(pending.scroll !== 'keep' && splitTarget(pending.url).pathname !== before)
    settleUpTo(pending.id)
    emit('routeChangeComplete', pending.url)
    // What is shown stays where fresh data cannot be had.
    if (next?.isStale) refresh().catch(() => {})
  }

  /** A view that a later one overtook before it was in the document was not shown. */
  const settleUpTo = (id: number) => {
    for (const [other, done] of settle) {
      if (other > id) continue
      done(other === id)
      settle.delete(other)
    }
  }

  const emit = (name: RouterEventName, ...details: unknown[]) => events.emit(name, ...details, { shallow: false })

  const navigate = (
    mode: 'push' | 'replace',
    url: string,
    { scroll: wants = true, shallow = false }: NavigateOptions = {},
  ) => {
    const target = new URL(url, location.href)
    if (!canFollow(target, basePath)) {
      if (mode === 'push') location.assign(target)
      else location.replace(target)
      return new Promise<boolean>(() => {})
    }
    const before = machine.lastId
    dispatch({ kind: 'navigate', url: addressOf(target), key: deps.createKey(), mode, scroll: wants, shallow })
    const id = machine.lastId
    return id === before ? Promise.resolve(true) : new Promise<boolean>((done) => settle.set(id, done))
  }

  const refresh = async () => {
    const { url, isFallback } = view
    const data = await views.fetch(url, controller.signal)
    if (data) await applyData(data, url)
    else if (isFallback && isShown(url)) perform({ kind: 'full-load', url, reason: 'data-fallback' })
  }

  /** Shown, and no other page on its way into the document: data must not push that one out. */
  const isShown = (url: string) =>
    [view.url, machine.shown.url].every((address) => withoutHash(address) === withoutHash(url))

  const applyData = async (data: PageData, url: string) => {
    if (!isShown(url)) return
    const loaded = await views.apply(data, view)
    if (!isShown(url)) return
    if (loaded.kind === 'redirect') void navigate('replace', loaded.location)
    else deps.show({ ...loaded.view, url: machine.shown.url, ...(coming && { pending: coming }) })
  }

  const popped = () => {
    const key = historyKey()
    const url = addressOf(location)
    if (key === undefined) {
      // A hash link that the browser followed by itself made this entry.
      const made = deps.createKey()
      history.replaceState({ portico: made }, '')
      machine = { ...machine, shown: { url, key: made } }
      scroll.follow(made)
      view = { ...view, url }
      deps.show(view)
      return
    }
    dispatch({ kind: 'popped', url, key, shallow: false })
  }

  return {
    push: (url, options) => navigate('push', url, options),
    replace: (url, options) => navigate('replace', url, options),
    popped,
    refresh,
    applyData,
    onCommitted,
    cancelPrefetch: (url) => deps.cancelPrefetch(withoutHash(url)),
    prefetch: views.prefetch,
  }
}

function writeHistory(mode: Pending['mode'], url: string, key: string, shallow: boolean): void {
  const state = { portico: key, ...(shallow && { shallow }) }
  if (mode === 'push') history.pushState(state, '', url)
  else if (mode === 'replace') history.replaceState(state, '', url)
}
