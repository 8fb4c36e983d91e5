// Route events (N2): `router.events.on('routeChangeStart', …)`.

import type { RouterEventName, RouterEvents } from '../../react/contexts/router-context.ts'

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
