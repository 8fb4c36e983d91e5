// Events of the router's machine, and its states and effects as short text, for tests.

import type { Effect, RouterEvent, RouterState } from '../navigation/router-model.ts'
import type { View } from '../view.ts'

export function viewOf(url: string, route = url): View {
  return { route, params: {}, props: {}, Page: () => null, styles: [], url, isFallback: false, isReady: true }
}

type NavigateEvent = Extract<RouterEvent, { kind: 'navigate' }>

export function navigateTo(url: string, more: Partial<NavigateEvent> = {}): NavigateEvent {
  const entry = { url, key: 'new' }
  return { kind: 'navigate', entry, mode: 'push', isInside: true, shallow: false, ...more }
}

export function popTo(url: string, isOwn = true): RouterEvent {
  return { kind: 'popped', entry: { url, key: 'popped' }, isOwn }
}

/** A step in the history to an entry of a shallow navigation. */
export function shallowPopTo(url: string): RouterEvent {
  return { kind: 'popped', entry: { url, key: 'popped', shallow: true }, isOwn: true }
}

export function loaded(id: number, url: string, isStale = false): RouterEvent {
  return { kind: 'loaded', id, view: viewOf(url), isStale }
}

/** The phase of each navigation, in the order in which they began: `/a committed, /b loading`; `idle` without any. */
export function phaseText({ committed, loading }: RouterState): string {
  const phases = committed.map(({ navigation }) => `${navigation.entry.url} committed`)
  if (loading) phases.push(`${loading.entry.url} loading`)
  return phases.join(', ') || 'idle'
}

export function effectText(effect: Effect): string {
  switch (effect.kind) {
    case 'load':
      return `load ${effect.id} ${effect.url}${effect.isAgain ? ' again' : ''}`
    case 'abort':
      return 'abort'
    case 'fetch':
      return `fetch ${effect.url}`
    case 'apply':
      return `apply to ${effect.shown.route}`
    case 'show': {
      const { route, url, navigationId } = effect.view
      return `show ${[route === url ? '' : route, url, navigationId, effect.toTop && 'top'].filter(Boolean).join(' ')}`
    }
    case 'write-history':
      return `${effect.mode} ${effect.entry.url}${effect.shallow ? ' shallow' : ''}`
    case 'mark-history':
      return `mark ${effect.key}`
    case 'scroll':
      return `scroll ${effect.mode} ${effect.entry.url}`
    case 'announce':
      return effect.movesFocus ? 'announce and focus' : 'announce'
    case 'emit':
      return [effect.name, effect.url, effect.reason].filter(Boolean).join(' ')
    case 'report':
      return effect.url === undefined ? 'report idle' : `report ${effect.url}`
    case 'settle':
      return `settle ${effect.id} ${effect.isShown}`
    case 'settle-earlier':
      return `settle before ${effect.id} false`
    case 'follow':
      return `follow ${effect.location}`
    case 'leave':
      return `leave ${effect.mode} ${effect.url}`
    case 'full-load':
      return `full ${effect.url} ${effect.reason}`
  }
}
