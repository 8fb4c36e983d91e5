// The browser's router: turns calls into events of the machine, and performs the effects of each event in order.

import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { MaskOptions, RouterEvents } from '../../react/router-context.ts'
import { historyKey } from '../tab.ts'
import type { View } from '../view.ts'
import { type PrefetchPriority, withoutHash } from '../views/views.ts'
import { historyPage, startPlaces } from './places.ts'
import { createPerformer, type EffectDeps, targetOf } from './router-effects.ts'
import { createState, reduce } from './router-machine.ts'
import type { Effect, Entry, RouterEvent, RouterState, Transition } from './router-model.ts'

// Marks navigations in the browser's timeline, for measurements: a PerformanceObserver of `mark` is notified of each.

/** Names begin with `portico:`; `detail.url` is the address. Only the marks of the last navigation are kept: a tab may stay open. */
export function markNavigations(events: RouterEvents): void {
  const mark = (name: string) => (url: unknown) => {
    performance.clearMarks(name)
    performance.mark(name, { detail: { url } })
  }
  events.on('routeChangeStart', mark('portico:navigation-start'))
  events.on('routeChangeComplete', mark('portico:navigation-commit'))
}

// Which transfers of deferred data end with a transition (N6): those of views that the router has left.

/** The transfers that the state before or the event had, and that nothing after the transition needs. */
export function streamsLeft(before: RouterState, event: RouterEvent, { state, effects }: Transition): (() => void)[] {
  const held = new Set(streamsOf(before))
  if ('view' in event) held.add(event.view.close)
  if ('data' in event) held.add(event.data?.close)
  const needed = new Set(streamsOf(state))
  for (const effect of effects) if (effect.kind === 'apply') needed.add(effect.data.close)
  return [...held].filter((close) => close !== undefined && !needed.has(close)) as (() => void)[]
}

function streamsOf({ shown, committed }: RouterState) {
  return [shown, ...committed.map(({ view }) => view)].map(({ close }) => close)
}

interface RouterDeps extends EffectDeps {
  /** The page in the document, and its history entry. */
  first: View
  entry: Entry
  /** A link left the viewport before its prefetch began. */
  cancelPrefetch: (address: string) => void
  createKey: () => string
}

export interface BrowserRouter {
  push(url: string, options?: MaskOptions): Promise<boolean>
  replace(url: string, options?: MaskOptions): Promise<boolean>
  prefetch(url: string, priority: PrefetchPriority): Promise<void>
  cancelPrefetch(url: string): void
  /** Fetches the data of the page shown again. */
  refresh(): Promise<void>
  /** Shows data of an address, if that is still the page shown. Resolves when React has the view. */
  applyData(data: PageData, url: string): Promise<void>
  /** The browser moved to another history entry: `location` is that entry's address already. */
  popped(): void
  /** Called by the view layer when a view is in the document. */
  onShown(view: View): void
}

export function createRouter(deps: RouterDeps): BrowserRouter {
  const { basePath, views } = deps
  let state = createState(deps.first, deps.entry)
  /** Resolve what `push` and `replace` returned, by the id of the navigation. */
  const settlers = new Map<number, (isShown: boolean) => void>()

  const dispatch = (event: RouterEvent): Promise<unknown> => {
    const transition = reduce(state, event)
    const left = streamsLeft(state, event, transition)
    state = transition.state
    for (const close of left) close()
    return performAll(transition.effects)
  }

  const navigate = (mode: 'push' | 'replace', url: string, options: MaskOptions = {}): Promise<boolean> => {
    const { scroll, shallow = false, from, options: given } = options
    const { isInside, ...target } = targetOf(url, location.href, basePath)
    // SECURITY: a navigation to such a URL runs it, and pages pass values of their query to the router.
    if (target.url.startsWith('javascript:'))
      return Promise.reject(new Error('The router does not follow javascript: URLs.'))
    const entry = { ...target, key: deps.createKey(), ...(from && { from }), ...(given && { options: given }) }
    const settled = new Promise<boolean>((resolve) => {
      // A document that is left settles nothing.
      if (isInside) settlers.set(state.lastId + 1, resolve)
    })
    void dispatch({ kind: 'navigate', entry, mode, isInside, shallow, ...(scroll !== undefined && { scroll }) })
    return settled
  }

  const performAll = inOrder(createPerformer(deps, { dispatch, navigate, settlers }))
  markNavigations(deps.events)
  startPlaces(deps.entry.key)

  return {
    push: (url, options) => navigate('push', url, options),
    replace: (url, options) => navigate('replace', url, options),
    prefetch: views.prefetch,
    cancelPrefetch: (url) => deps.cancelPrefetch(withoutHash(url)),
    async refresh() {
      await dispatch({ kind: 'refresh' })
    },
    async applyData(data, url) {
      await dispatch({ kind: 'data', url, data })
    },
    popped() {
      const key = historyKey()
      const { url } = targetOf(location.href, location.href, basePath)
      const entry = { url, key: key ?? deps.createKey(), ...(key !== undefined && ownState()) }
      void dispatch({ kind: 'popped', entry, isOwn: key !== undefined })
    },
    onShown({ navigationId: id }) {
      if (id !== undefined) void dispatch({ kind: 'shown', id })
    },
  }
}

/** What an entry of this framework has besides its key. */
function ownState(): Pick<Entry, 'from' | 'shallow'> {
  return { ...historyPage(), ...(history.state.shallow === true && { shallow: true }) }
}

/**
 * Performs effects in the order of their transitions: a listener or React may cause the next event while the effects of
 * the last one are performed. Resolves when the effects are done; those left after one that throws are dropped.
 */
function inOrder(perform: (effect: Effect) => unknown): (effects: readonly Effect[]) => Promise<unknown> {
  const queue: (() => void)[] = []
  let isPerforming = false
  return (effects) => {
    const done = effects.map((effect) => new Promise((resolve) => queue.push(() => resolve(perform(effect)))))
    if (isPerforming) return Promise.all(done)
    isPerforming = true
    try {
      while (queue.length > 0) queue.shift()!()
    } finally {
      isPerforming = false
      queue.length = 0
    }
    return Promise.all(done)
  }
}
