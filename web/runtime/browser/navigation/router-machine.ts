// The router as a state machine: events in, state and effects out. No fetch, no DOM, no clock; the last navigation
// wins (N6).

import { splitTarget } from '@portico/shared/wire/routing/urls.ts'
import type { RouterEventName } from '../../react/router-context.ts'
import type { View } from '../view.ts'
import { withoutHash } from '../views/views.ts'
import { addressOf, fetchOf, hasSamePage, type Place, pageOf, viewAt } from './places.ts'
import type {
  CommittedPage,
  DataEvent,
  Effect,
  Entry,
  LoadEvent,
  Navigation,
  RouterEvent,
  RouterState,
  Target,
  Transition,
} from './router-model.ts'

/** A chain of redirects longer than this is a loop. */
const MOST_REDIRECTS = 10

export function createState(shown: View, entry: Entry): RouterState {
  return { shown, entry, committed: [], lastId: 0 }
}

export function reduce(state: RouterState, event: RouterEvent): Transition {
  switch (event.kind) {
    case 'navigate':
      return navigate(state, event)
    case 'popped':
      return pop(state, event)
    case 'delayed':
    case 'loaded':
    case 'redirected':
    case 'failed':
      return state.loading?.id === event.id ? reduceLoad(state, state.loading, event) : to(state)
    case 'shown':
      return complete(state, event.id)
    case 'refresh':
      return to(state, fetchOf(state.shown))
    case 'data':
    case 'data-applied':
    case 'data-redirected':
    case 'data-failed':
      return isShown(state, event.url) ? reduceData(state, event) : to(state)
  }
}

function navigate(state: RouterState, event: Extract<RouterEvent, { kind: 'navigate' }>): Transition {
  const { mode } = event
  if (!event.isInside) return to(state, { kind: 'leave', mode, url: event.entry.url })
  const shallow = event.shallow && hasSamePath(event.entry, state.shown)
  const entry: Entry = shallow ? { ...event.entry, shallow } : event.entry
  const target: Target = {
    entry,
    // A click on the address shown adds no history entry, as in browsers.
    mode: entry.url === state.entry.url ? 'replace' : mode,
    scroll: (event.scroll ?? !shallow) ? 'target' : 'keep',
  }
  const isHashMove = entry.url.includes('#') && isSamePage(entry, state.entry)
  if (!shallow && !isHashMove) return begin(state, target)
  const id = state.lastId + 1
  const moved = chain(cancel({ ...state, lastId: id }), (idle) => move(idle, target, shallow))
  return chain(moved, (idle) => to(idle, settle(id, true)))
}

function pop(state: RouterState, { entry, isOwn }: Extract<RouterEvent, { kind: 'popped' }>): Transition {
  const target: Target = { entry, mode: 'pop', scroll: 'restore' }
  const shallow = entry.shallow === true && state.entry.shallow === true && hasSamePath(entry, state.shown)
  const isMove = shallow || isSamePage(entry, state.entry)
  if (isOwn) return isMove ? chain(cancel(state), (idle) => move(idle, target, shallow)) : begin(state, target)
  return chain(to(state, { kind: 'mark-history', key: entry.key }), (marked) =>
    // The browser followed a plain hash link and scrolled to it: this ends no navigation.
    isMove ? move(marked, { ...target, scroll: 'keep' }) : begin(marked, target),
  )
}

function begin(state: RouterState, target: Target): Transition {
  const id = state.lastId + 1
  return chain(cancel(state), (idle) => load({ ...idle, lastId: id }, { ...target, id, redirects: 0 }))
}

function load(state: RouterState, loading: Navigation): Transition {
  const { entry, id } = loading
  const url = pageOf(entry)
  // Links and calls of the router to the page shown request its data again.
  const isAgain = loading.mode !== 'pop' && withoutHash(url) === withoutHash(pageOf(state.entry))
  const effect: Effect = { kind: 'load', id, url, ...addressOf(entry), ...(isAgain && { isAgain }) }
  return to({ ...state, loading }, emit('routeChangeStart', entry.url), effect)
}

/** Ends the navigation that loads; a page that React has may still be shown. */
function cancel({ loading, ...idle }: RouterState): Transition {
  if (!loading) return to(idle)
  return to(idle, { kind: 'abort' }, settle(loading.id, false), emit('routeChangeError', loading.entry.url))
}

/** Moves within a page: writes history and scrolls, loads nothing. */
function move(state: RouterState, target: Target, shallow = false): Transition {
  const { entry, scroll } = target
  const last = state.committed.at(-1)
  if (last && isSamePage(last.navigation.entry, entry)) return moveCommitted(state, last, target, shallow)
  const shown = viewAt(state.shown, entry)
  return to(
    { ...state, shown, entry, committed: [] },
    // Committed pages are not shown: React is given the page in the document again.
    ...state.committed.map(({ navigation }) => settle(navigation.id, false)),
    emit(shallow ? 'routeChangeStart' : 'hashChangeStart', entry.url, shallow),
    writeHistory(target, shallow),
    { kind: 'show', view: shown },
    { kind: 'scroll', entry, mode: scroll },
    !state.loading && report(undefined),
    emit(shallow ? 'routeChangeComplete' : 'hashChangeComplete', entry.url, shallow),
  )
}

/** The page of the address is not in the document yet: it is shown at the later entry. */
function moveCommitted(state: RouterState, last: CommittedPage, target: Target, shallow: boolean): Transition {
  const page: CommittedPage = { ...last, navigation: { ...last.navigation, ...target } }
  return to({ ...replaceLast(state, page), entry: target.entry }, writeHistory(target, shallow), show(page))
}

function reduceLoad(state: RouterState, loading: Navigation, event: LoadEvent): Transition {
  const { entry, mode, redirects } = loading
  switch (event.kind) {
    case 'delayed':
      return to(state, report(entry.url))
    case 'loaded': {
      const page: CommittedPage = { navigation: loading, view: event.view, isStale: event.isStale }
      return to(
        { ...state, entry, loading: undefined, committed: [...state.committed, page] },
        emit('beforeHistoryChange', entry.url),
        // Before React renders the page, whose code may read the address of the document.
        writeHistory(loading),
        show(page),
      )
    }
    case 'redirected': {
      if (!event.isInside) return fail(state, event.url, 'redirect')
      if (redirects >= MOST_REDIRECTS) return fail(state, event.url, 'redirect-loop')
      return load(state, {
        ...loading,
        entry: { key: entry.key, url: event.url },
        // A popped entry that redirects is replaced: its place in history shows the new address.
        mode: mode === 'pop' ? 'replace' : mode,
        scroll: 'target',
        redirects: redirects + 1,
      })
    }
    case 'failed':
      return chain(
        to(state, { kind: 'emit', name: 'routeChangeError', url: entry.url, reason: event.reason }),
        (failed) => fail(failed, entry.url, event.reason),
      )
  }
}

function fail(state: RouterState, url: string, reason: string): Transition {
  return to({ ...state, loading: undefined }, fullLoad(url, reason), state.committed.length === 0 && report(undefined))
}

/** The page of a navigation is in the document. */
function complete(state: RouterState, id: number): Transition {
  const page = state.committed.find(({ navigation }) => navigation.id === id)
  // A view with later data of the same page, or a page that was given up.
  if (!page) return to(state)
  const { entry, scroll } = page.navigation
  const { url } = entry
  const shown = viewAt(page.view, entry)
  const committed = state.committed.filter(({ navigation }) => navigation.id > id)
  return to(
    { ...state, shown, committed },
    committed.length === 0 && !state.loading && report(undefined),
    // The top was scrolled to when React applied the page: from there its effects may scroll.
    { kind: 'scroll', entry, mode: scroll === 'target' && !url.includes('#') ? 'keep' : scroll },
    // Typing into a search field changes the query only; the field must keep the focus.
    { kind: 'announce', movesFocus: scroll !== 'keep' && pathOf(url) !== pathOf(state.shown.url) },
    { kind: 'settle-earlier', id },
    settle(id, true),
    emit('routeChangeComplete', url),
    page.isStale && fetchOf(shown),
  )
}

function reduceData(state: RouterState, event: DataEvent): Transition {
  switch (event.kind) {
    case 'data':
      if (event.data) return to(state, { kind: 'apply', data: event.data, shown: state.shown })
      // A shell is not a page without its data (D2); any other page stays as it is.
      return to(state, state.shown.isFallback && fullLoad(event.url, 'data-fallback'))
    case 'data-applied': {
      const last = state.committed.at(-1)
      const page = last && { ...last, view: event.view }
      if (page) return to(replaceLast(state, page), show(page))
      const shown = viewAt(event.view, state.entry)
      return to({ ...state, shown }, { kind: 'show', view: shown })
    }
    case 'data-redirected':
      return to(state, { kind: 'follow', location: event.location })
    case 'data-failed':
      // A navigation that loads will replace the page.
      return to(state, !state.loading && fullLoad(state.entry.url, event.reason))
  }
}

/** Whether the page is in the document and no other one is committed: data must not take the place of that one. */
function isShown(state: RouterState, url: string): boolean {
  return [state.shown, state.entry].every((at) => withoutHash(at.url) === withoutHash(url))
}

/** The transition to a state, with the effects that apply. */
function to(state: RouterState, ...effects: (Effect | false)[]): Transition {
  return { state, effects: effects.filter((effect) => effect !== false) }
}

function chain(first: Transition, then: (state: RouterState) => Transition): Transition {
  const { state, effects } = then(first.state)
  return { state, effects: [...first.effects, ...effects] }
}

function replaceLast(state: RouterState, page: CommittedPage): RouterState {
  return { ...state, committed: [...state.committed.slice(0, -1), page] }
}

function show({ navigation: { id, entry, scroll }, view }: CommittedPage): Effect {
  return {
    kind: 'show',
    view: { ...viewAt(view, entry), navigationId: id },
    ...(scroll === 'target' && { toTop: true }),
  }
}

function writeHistory({ entry, mode }: Target, shallow = false): Effect | false {
  return mode !== 'pop' && { kind: 'write-history', entry, mode, shallow }
}

function settle(id: number, isShown: boolean): Effect {
  return { kind: 'settle', id, isShown }
}

function emit(name: RouterEventName, url: string, shallow = false): Effect {
  return { kind: 'emit', name, url, ...(shallow && { shallow }) }
}

function report(url: string | undefined): Effect {
  return { kind: 'report', url }
}

function fullLoad(url: string, reason: string): Effect {
  return { kind: 'full-load', url, reason }
}

function isSamePage(one: Place, other: Place): boolean {
  return withoutHash(one.url) === withoutHash(other.url) && hasSamePage(one, other)
}

/** The props of one path are not those of another, which may even be another page's. */
function hasSamePath(one: Place, other: Place): boolean {
  return pathOf(pageOf(one)) === pathOf(pageOf(other))
}

function pathOf(url: string): string {
  return splitTarget(url).pathname
}
