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
  setPending: (address: string | undefined) => void
  /** Tells screen readers the title; moves the focus only where another page is shown. */
  announce: (movesFocus: boolean) => void
  /** Leaves for the target, or shows the error screen where that was just tried. */
  loadInFull: (url: string, reason: string) => void
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
    tell()
  }

  /** What was said last of a navigation under way; null where it must be said anew. */
  let told: string | undefined | null = null
  const tell = () => {
    // A page that was handed over is under way until it is in the document.
    const address = machine.pending?.url ?? (coming ? told : undefined)
    if (address !== told) deps.setPending(address ?? undefined)
    told = address
  }

  const perform = (effect: Effect): void => {
    switch (effect.kind) {
      case 'abort':
        controller.abort()
        // Fresh data may be asked for without another navigation.
        controller = new AbortController()
        finish(effect.id, false)
        emit('routeChangeError', Object.assign(new Error('Route cancelled'), { cancelled: true }), effect.url)
        break
      case 'load':
        controller = new AbortController()
        emit('routeChangeStart', effect.url)
        start(effect.id, effect.url)
        break
      case 'commit':
        // The view carries the navigation; history is written when it is in the document.
        coming = effect.pending
        told = null
        if (next) deps.show({ ...next.view, pending: coming })
        break
      case 'move':
        move(effect)
        break
      case 'full-load':
        deps.loadInFull(effect.url, effect.reason)
        break
    }
  }

  const move = ({ entry, mode, scroll: how, shallow }: Extract<Effect, { kind: 'move' }>) => {
    if (coming && next && withoutHash(coming.url) === withoutHash(entry.url)) {
      // The page of the address is still on its way: both entries are written, and it comes at the second.
      if (mode !== 'pop') writeHistory(coming.mode, coming.url, coming.key, false)
      writeHistory(mode, entry.url, entry.key, shallow)
      coming = { ...coming, ...entry, mode: 'pop', scroll: how }
      return deps.show({ ...next.view, url: entry.url, pending: coming })
    }
    dropComing()
    emit(shallow ? 'routeChangeStart' : 'hashChangeStart', entry.url)
    writeHistory(mode, entry.url, entry.key, shallow)
    view = { ...view, url: entry.url }
    deps.show(view)
    if (how === 'restore') scroll.restore(entry.key)
    else if (how === 'target' && !shallow) scroll.toTarget(new URL(entry.url, location.href).hash)
    scroll.follow(entry.key, how !== 'restore')
    emit(shallow ? 'routeChangeComplete' : 'hashChangeComplete', entry.url)
  }

  let next: { view: View; isStale: boolean } | undefined
  /** A navigation whose view was handed over and is not in the document yet: it may wait for an earlier one's motion. */
  let coming: Pending | undefined
  const start = (id: number, url: string) => {
    const ready = views.ready(url)
    if (!ready) return void load(id, url, controller.signal)
    next = ready
    dispatch({ kind: 'loaded', id })
  }

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
      dispatch({ kind: 'failed', id, reason: reasonOf(error) })
    }
  }

  /** The page that was handed over is not shown: the one in the document is shown anew. */
  const dropComing = () => {
    if (coming) finish(coming.id, false)
    coming = undefined
  }

  const dispatchFull = (id: number, href: string) => {
    if (machine.pending?.id !== id) return
    machine = { shown: machine.shown, lastId: machine.lastId }
    deps.loadInFull(href, 'redirect')
    tell()
  }

  const onCommitted = (committed: View) => {
    const before = splitTarget(view.url).pathname
    // A navigation is completed once: views made from this one must not carry it.
    const { pending: handedOver, ...rest } = committed
    view = rest
    if (!handedOver) return
    // A component of the page may have moved on within it already.
    const pending = coming?.id === handedOver.id ? coming : handedOver
    if (coming === pending) coming = undefined
    tell()
    emit('beforeHistoryChange', pending.url)
    // Whoever stepped back meanwhile is at another entry already, which this one must not overwrite.
    if (machine.pending?.mode !== 'pop') writeHistory(pending.mode, pending.url, pending.key, false)
    if (pending.scroll === 'restore') scroll.restore(pending.key)
    else if (pending.scroll === 'target') scroll.toTarget(new URL(pending.url, location.href).hash)
    scroll.follow(pending.key, pending.scroll !== 'restore')
    // Typing into a search field changes the query only; the field must keep the focus.
    deps.announce(pending.scroll !== 'keep' && splitTarget(pending.url).pathname !== before)
    // A view that a later one overtook before it was in the document was not shown.
    for (const id of settle.keys()) if (id <= pending.id) finish(id, id === pending.id)
    emit('routeChangeComplete', pending.url)
    // What is shown stays where fresh data cannot be had.
    if (next?.isStale) refresh().catch(() => {})
  }

  const finish = (id: number, isShown: boolean) => {
    settle.get(id)?.(isShown)
    settle.delete(id)
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
    const id = machine.lastId + 1
    const shown = new Promise<boolean>((done) => settle.set(id, done))
    dispatch({ kind: 'navigate', url: addressOf(target), key: deps.createKey(), mode, scroll: wants, shallow })
    // A move within the page is done at once.
    if (machine.lastId < id) finish(id, true)
    return shown
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

  const applyData = async (data: PageData, url: string): Promise<void> => {
    if (!isShown(url)) return
    const loaded = await views.apply(data, view).catch(reasonOf)
    if (!isShown(url)) return
    if (typeof loaded === 'string') {
      // Whoever leaves the page needs it no more.
      if (!machine.pending) perform({ kind: 'full-load', url: machine.shown.url, reason: loaded })
    } else if (loaded.kind === 'redirect') void navigate('replace', loaded.location)
    else deps.show({ ...loaded.view, url: machine.shown.url, ...(coming && { pending: coming }) })
  }

  const popped = () => {
    const known = historyKey()
    const key = known ?? deps.createKey()
    const url = addressOf(location)
    // Another script's state stays.
    if (known === undefined) history.replaceState({ ...history.state, portico: key }, '')
    if (known !== undefined || withoutHash(url) !== withoutHash(machine.shown.url))
      return dispatch({ kind: 'popped', url, key, shallow: false })
    // A hash link that the browser followed by itself, and scrolled to, made this entry.
    machine = { ...machine, shown: { url, key } }
    move({ kind: 'move', entry: { url, key }, mode: 'pop', scroll: 'keep', shallow: false })
    tell()
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

function reasonOf(error: unknown): string {
  return error instanceof RouteLoadError ? error.reason : 'code'
}

function writeHistory(mode: Pending['mode'], url: string, key: string, shallow: boolean): void {
  const state = { portico: key, ...(shallow && { shallow }) }
  if (mode === 'push') history.pushState(state, '', url)
  else if (mode === 'replace') history.replaceState(state, '', url)
}
