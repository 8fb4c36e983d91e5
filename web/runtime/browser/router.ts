// The browser's router: performs the machine's effects with real history, fetches and views.

import type { BrowserManifest } from '../../../services/shared/wire/build-output.ts'
import type { PageData, RouteFiles } from '../../../services/shared/wire/page-data.ts'
import { matchRoute, prepareRoutes, type RouteTree } from '../../../services/shared/wire/routes.ts'
import { dataUrl, isApiPath, splitTarget, stripBasePath } from '../../../services/shared/wire/urls.ts'
import {
  type BeforePopState,
  type NavigateOptions,
  type RouterEventName,
  withBasePath,
} from '../react/router-context.ts'
import { NotFoundScreen } from '../react/screens.tsx'
import type { RouterEmitter } from './events.ts'
import { RouteLoadError, type RouteLoader } from './load-route.ts'
import type { FetchData } from './page-data.ts'
import type { Prefetcher, PrefetchPriority } from './prefetch.ts'
import {
  createMachineState,
  type Effect,
  type MachineEvent,
  type Pending,
  reduce,
  withoutHash,
} from './router-machine.ts'
import type { ScrollKeeper } from './scroll.ts'
import type { PageComponent, View } from './view.ts'

export interface RouterDeps {
  basePath: string
  buildId: string
  first: View
  loader: RouteLoader
  fetchData: FetchData
  prefetcher: Prefetcher
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
  /** Whether a client transition may lead there (N4). */
  canFollow(url: string): boolean
  /** Asks for the shown page's data anew. */
  refresh(): Promise<void>
  /** Shows data that came with an action's answer. */
  applyData(data: PageData): Promise<void>
  /** Shows the address as it is in the browser, once the document's own was hydrated. */
  settleAddress(): void
  /** Called by the view layer when a view is in the document. */
  onCommitted(view: View): void
  beforePopState(callback: (state: BeforePopState) => boolean): void
}

interface Loaded {
  view: View
  /** Shown from an old prefetched entry: fetch again behind. */
  isStale: boolean
}

export function createRouter(deps: RouterDeps): BrowserRouter {
  const { basePath, buildId, loader, events, scroll } = deps
  let machine = createMachineState({
    url: location.pathname + location.search + location.hash,
    key: historyKey() ?? deps.createKey(),
  })
  let view = deps.first
  let tree: Promise<{ manifest: BrowserManifest; tree: RouteTree }> | undefined
  let mayPop: ((state: BeforePopState) => boolean) | undefined
  let controller = new AbortController()
  const settle = new Map<number, (shown: boolean) => void>()

  history.replaceState({ ...history.state, portico: machine.shown.key }, '')
  scroll.follow(machine.shown.key)

  const routes = () => {
    tree ??= loader
      .manifest()
      .then((manifest) => ({
        manifest,
        tree: prepareRoutes(manifest.pages),
      }))
      .catch((error: unknown) => {
        tree = undefined
        throw error
      })
    return tree
  }

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
        if (nextView) deps.show({ ...nextView.view, pending: effect.pending })
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

  let nextView: Loaded | undefined
  const load = async (id: number, url: string, signal: AbortSignal): Promise<void> => {
    deps.prefetcher.abortOthers(withoutHash(url))
    try {
      const loaded = await loadView(url, signal)
      if (signal.aborted) return
      if ('redirect' in loaded) {
        const target = new URL(loaded.redirect, new URL(url, location.href))
        const next = target.pathname + target.search + target.hash
        if (target.origin !== location.origin || !canFollow(next)) dispatchFull(id, target.href)
        else dispatch({ kind: 'redirected', id, url: next })
        return
      }
      nextView = loaded
      dispatch({ kind: 'loaded', id })
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

  const loadView = async (url: string, signal: AbortSignal): Promise<Loaded | { redirect: string }> => {
    const { manifest, tree } = await routes()
    const { pathname, search } = splitTarget(url)
    const match = matchRoute(tree, stripBasePath(pathname, basePath) ?? pathname)
    if (match.kind !== 'match') throw new RouteLoadError('no-route')
    const entry = manifest.pages.find(({ pattern }) => pattern === match.pattern)!
    // Code and data travel at the same time.
    const page = loader.load(entry.files)
    page.catch(() => {})
    const address = withoutHash(url)
    const kept = await deps.prefetcher.take(address)
    const data = kept?.data ?? (await requireData(pathname, search, entry.data === 'server', signal))
    if (data.kind === 'redirect') return { redirect: withBasePath(data.location, basePath) }
    const loaded = await viewOf(data, url, manifest, entry.pattern, page)
    return { view: loaded, isStale: kept?.isFresh === false }
  }

  const requireData = async (
    pathname: string,
    search: string,
    retry: boolean,
    signal: AbortSignal,
  ): Promise<PageData> => {
    const answer = await deps.fetchData(
      dataUrl(basePath, buildId, stripBasePath(pathname, basePath) ?? pathname, search),
      { signal, retry },
    )
    if (answer.kind === 'unusable') throw new RouteLoadError(`data-${answer.reason}`)
    return answer.data
  }

  const viewOf = async (
    data: PageData,
    url: string,
    manifest: BrowserManifest,
    pattern: string,
    guess: Promise<PageComponent>,
  ): Promise<View> => {
    if (data.kind === 'not-found') {
      const screen = manifest.screens.find((candidate) => candidate.pattern === '/404')
      const Page = screen ? await loader.load(screen.files) : NotFoundScreen
      return { ...view, route: '/404', params: {}, props: {}, Page, url, isFallback: false, isReady: true }
    }
    if (data.kind !== 'page') throw new RouteLoadError('data-status')
    // A rewrite may lead to another page than the address suggests.
    const files = filesOf(manifest, data.route)
    const Page = data.route === pattern ? await guess : await loader.load(files)
    return {
      ...view,
      route: data.route,
      params: data.params,
      props: data.props,
      Page,
      url,
      isFallback: false,
      isReady: true,
    }
  }

  const onCommitted = (committed: View) => {
    const before = splitTarget(view.url).pathname
    view = committed
    const { pending } = committed
    if (!pending) return
    emit('beforeHistoryChange', pending.url)
    writeHistory(pending.mode, pending.url, pending.key, false)
    scroll.follow(pending.key)
    if (pending.scroll === 'restore') scroll.restore(pending.key)
    else if (pending.scroll === 'target') scroll.toTarget(new URL(pending.url, location.href).hash)
    // Typing into a search field changes the query only; the field must keep the focus.
    deps.announce(pending.scroll !== 'keep' && splitTarget(pending.url).pathname !== before)
    settle.get(pending.id)?.(true)
    settle.delete(pending.id)
    emit('routeChangeComplete', pending.url)
    if (nextView?.isStale) void refresh()
  }

  const emit = (name: RouterEventName, ...details: unknown[]) => events.emit(name, ...details, { shallow: false })

  const navigate = (
    mode: 'push' | 'replace',
    url: string,
    { scroll: wants = true, shallow = false }: NavigateOptions = {},
  ) => {
    const target = new URL(url, location.href)
    const address = target.pathname + target.search + target.hash
    if (target.origin !== location.origin || !canFollow(address)) {
      if (mode === 'push') location.assign(target)
      else location.replace(target)
      return new Promise<boolean>(() => {})
    }
    const before = machine.lastId
    dispatch({ kind: 'navigate', url: address, key: deps.createKey(), mode, scroll: wants, shallow })
    const id = machine.lastId
    return id === before ? Promise.resolve(true) : new Promise<boolean>((done) => settle.set(id, done))
  }

  const canFollow = (url: string): boolean => {
    const path = stripBasePath(splitTarget(url).pathname, basePath)
    return path !== undefined && !isApiPath(path)
  }

  const refresh = async () => {
    const { pathname, search } = splitTarget(view.url)
    const { signal } = controller
    const answer = await deps.fetchData(
      dataUrl(basePath, buildId, stripBasePath(pathname, basePath) ?? pathname, search),
      { signal, retry: true },
    )
    if (answer.kind === 'data') await applyData(answer.data)
  }

  const applyData = async (data: PageData) => {
    if (data.kind === 'redirect') return void navigate('replace', withBasePath(data.location, basePath))
    const shown = view
    const next = await viewOf(data, shown.url, (await routes()).manifest, shown.route, Promise.resolve(shown.Page))
    if (view.url !== shown.url) return
    const { pending: _done, ...rest } = next
    deps.show(rest)
  }

  addEventListener('popstate', (event) => {
    const state = event.state as { portico?: string; shallow?: boolean } | null
    const url = location.pathname + location.search + location.hash
    if (mayPop && !mayPop({ url, as: url, options: {} })) return
    if (state?.portico === undefined) {
      // A hash link that the browser followed by itself made this entry.
      const key = deps.createKey()
      history.replaceState({ portico: key }, '')
      machine = { ...machine, shown: { url, key } }
      scroll.follow(key)
      view = { ...view, url }
      deps.show(view)
      return
    }
    dispatch({ kind: 'popped', url, key: state.portico, shallow: false })
  })

  return {
    push: (url, options) => navigate('push', url, options),
    replace: (url, options) => navigate('replace', url, options),
    canFollow,
    refresh,
    applyData,
    onCommitted,
    settleAddress() {
      const { url } = machine.shown
      if (!view.isReady || view.url !== url) deps.show({ ...view, url, isReady: true })
    },
    cancelPrefetch: (url) => deps.prefetcher.cancel(withoutHash(url)),
    async prefetch(url, priority) {
      const { manifest, tree } = await routes()
      const path = stripBasePath(splitTarget(url).pathname, basePath)
      const match = path === undefined ? undefined : matchRoute(tree, path)
      if (match?.kind !== 'match') return
      const entry = manifest.pages.find(({ pattern }) => pattern === match.pattern)!
      loader.prefetch(entry.files)
      if (priority === 'intent' || entry.data !== 'server') deps.prefetcher.request(withoutHash(url), priority)
    },
    beforePopState(callback) {
      mayPop = callback
    },
  }
}

function filesOf(manifest: BrowserManifest, pattern: string): RouteFiles {
  const entry = manifest.pages.find((candidate) => candidate.pattern === pattern)
  if (!entry) throw new RouteLoadError('no-route')
  return entry.files
}

function historyKey(): string | undefined {
  return (history.state as { portico?: string } | null)?.portico
}

function writeHistory(mode: Pending['mode'], url: string, key: string, shallow: boolean): void {
  const state = { portico: key, ...(shallow && { shallow }) }
  if (mode === 'push') history.pushState(state, '', url)
  else if (mode === 'replace') history.replaceState(state, '', url)
}
