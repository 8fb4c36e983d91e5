// Performs the effects of the router's machine: fetches, history, scroll, events, React. Decides nothing.

import { errorHost } from '../hosts.ts'
import { addressOf, canFollow, type RouterEmitter } from '../tab.ts'
import type { View } from '../view.ts'
import { RouteLoadError, type ViewLoader } from '../views/views.ts'
import { stateOf } from './places.ts'
import type { DataEvent, Effect, RouterEvent } from './router-model.ts'
import type { ScrollKeeper } from './scroll.ts'

export interface EffectDeps {
  basePath: string
  views: ViewLoader
  scroll: ScrollKeeper
  events: RouterEmitter
  /**
   * Gives React a view in a transition. `onApply` is called when the view is in the document, before its layout effects;
   * `onShown` of the router after these.
   */
  show: (view: View, onApply: () => void) => void
  setPending: (address: string | undefined) => void
  /** Announces the title to screen readers; moves the focus only where another page is shown. */
  announce: (movesFocus: boolean) => void
  /** Loads the target as a document, or shows the error screen where that was just tried. */
  loadInFull: (url: string, reason: string) => void
}

interface EffectTargets {
  dispatch: (event: RouterEvent) => Promise<unknown>
  navigate: (mode: 'push' | 'replace', url: string) => Promise<boolean>
  /** Resolve the promises of navigations, by id. */
  settlers: Map<number, (isShown: boolean) => void>
}

type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>

/** Performs one effect. Returns a promise where the effect takes time. */
export function createPerformer(deps: EffectDeps, targets: EffectTargets): (effect: Effect) => unknown {
  const loads = createLoads(deps, targets.dispatch)
  /** The last navigation that scrolled to the top: a second view of its page must not scroll again. */
  let newest = 0
  const show = ({ view, toTop }: EffectOf<'show'>) => {
    const { navigationId: id = 0 } = view
    deps.show(view, () => {
      if (!toTop || id <= newest) return
      newest = id
      deps.scroll.toTop()
    })
  }
  const settle = (id: number, isShown: boolean) => {
    targets.settlers.get(id)?.(isShown)
    targets.settlers.delete(id)
  }
  return (effect) => {
    switch (effect.kind) {
      case 'load':
        return loads.load(effect)
      case 'abort':
        return loads.abort()
      case 'fetch':
        return loads.fetch(effect)
      case 'apply':
        return loads.apply(effect)
      case 'show':
        return show(effect)
      case 'write-history':
        return writeHistory(effect)
      case 'mark-history':
        // Keeps another script's state.
        return history.replaceState({ ...history.state, portico: effect.key }, '')
      case 'scroll':
        return scrollTo(effect, deps.scroll)
      case 'announce':
        return deps.announce(effect.movesFocus)
      case 'emit':
        return emit(effect, deps.events)
      case 'report':
        return deps.setPending(effect.url)
      case 'settle':
        return settle(effect.id, effect.isShown)
      case 'settle-earlier':
        for (const id of targets.settlers.keys()) if (id < effect.id) settle(id, false)
        return
      case 'follow':
        return void targets.navigate('replace', effect.location)
      case 'leave':
        return location[effect.mode === 'push' ? 'assign' : 'replace'](effect.url)
      case 'full-load':
        return deps.loadInFull(effect.url, effect.reason)
    }
  }
}

function createLoads({ views, basePath }: EffectDeps, dispatch: EffectTargets['dispatch']) {
  /** Aborts the last load. */
  let controller = new AbortController()

  const report = (error: unknown, url: string) =>
    errorHost.report?.(error, { kind: 'navigation', route: views.routeOf(url) })

  const loadLate = async ({ id, url, address }: EffectOf<'load'>, { signal }: AbortController): Promise<void> => {
    try {
      const loaded = await views.load(url, signal, address)
      if (loaded.kind === 'view') return void dispatch({ ...loaded, kind: 'loaded', id })
      const target = targetOf(loaded.location, new URL(url, location.href), basePath)
      void dispatch({ kind: 'redirected', id, ...target })
    } catch (error) {
      if (process.env.PORTICO_ERRORS && !signal.aborted) await report(error, url)
      void dispatch({ kind: 'failed', id, reason: reasonOf(error) })
    }
  }

  return {
    load(effect: EffectOf<'load'>) {
      const { id, url } = effect
      if (effect.isAgain) views.drop(url)
      const ready = views.ready(url)
      if (ready) return void dispatch({ kind: 'loaded', id, ...ready })
      controller = new AbortController()
      void loadLate(effect, controller)
      void dispatch({ kind: 'delayed', id })
    },
    abort: () => controller.abort(),
    async fetch({ url, from = url }: EffectOf<'fetch'>) {
      const data = await views.fetch(from).catch(() => undefined)
      await dispatch({ kind: 'data', url, data })
    },
    async apply({ data, shown }: EffectOf<'apply'>) {
      const { url } = shown
      const event: DataEvent = await views.apply(data, shown).then(
        (loaded) =>
          loaded.kind === 'view'
            ? { kind: 'data-applied', url, view: loaded.view }
            : { kind: 'data-redirected', url, location: loaded.location },
        async (error: unknown) => {
          if (process.env.PORTICO_ERRORS) await report(error, url)
          return { kind: 'data-failed', url, reason: reasonOf(error) }
        },
      )
      await dispatch(event)
    },
  }
}

/** Where an address leads, with the address that its navigation has. */
export function targetOf(url: string, base: string | URL, basePath: string): { url: string; isInside: boolean } {
  const target = new URL(url, base)
  const isInside = canFollow(target, basePath)
  // A link to the top of its page has an empty fragment: it moves within the page.
  const end = target.href.endsWith('#') ? '#' : ''
  return { url: isInside ? addressOf(target) + end : target.href, isInside }
}

function reasonOf(error: unknown): string {
  return error instanceof RouteLoadError ? error.reason : 'code'
}

function writeHistory({ entry, mode, shallow }: EffectOf<'write-history'>): void {
  const state = { portico: entry.key, ...(shallow && { shallow }), ...stateOf(entry) }
  if (mode === 'push') history.pushState(state, '', entry.url)
  else history.replaceState(state, '', entry.url)
}

function scrollTo({ entry: { url, key }, mode }: EffectOf<'scroll'>, scroll: ScrollKeeper): void {
  if (mode === 'restore') scroll.restore(key)
  else if (mode === 'target') scroll.toTarget(new URL(url, location.href).hash)
  scroll.follow(key, mode !== 'restore')
}

function emit({ name, url, shallow, reason }: EffectOf<'emit'>, events: RouterEmitter): void {
  const details = [url, { shallow: shallow === true }]
  if (name !== 'routeChangeError') events.emit(name, ...details)
  else events.emit(name, errorOf(reason), ...details)
}

/** As in Next.js, also the text for page data. */
function errorOf(reason: string | undefined): Error & { cancelled?: boolean } {
  if (reason === undefined) return Object.assign(new Error('Route Cancelled'), { cancelled: true })
  return new Error(`Failed to load ${reason.startsWith('data') ? 'static props' : `the page (${reason})`}`)
}
