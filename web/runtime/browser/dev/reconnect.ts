// The rule of the development connection (V2) as a pure reducer: attempts 1-5 each after 1 s, 6-25 each after 5 s,
// page reload when the 25th fails; a success resets the count. connection.ts performs the effects.

import {
  RECONNECT_FAST_ATTEMPTS,
  RECONNECT_FAST_MS,
  RECONNECT_MAX_ATTEMPTS,
  RECONNECT_SLOW_MS,
} from '@portico/shared/wire/constants.ts'

/** `attempt` 0 is the first connection of a page, which is not an attempt of the rule. */
export type ReconnectState =
  | { kind: 'connecting'; attempt: number }
  | { kind: 'connected' }
  | { kind: 'waiting'; attempt: number; waitMs: number }
  | { kind: 'reloading' }

export type ReconnectEvent =
  /** The server sent hello. */
  | { kind: 'connected' }
  /** The socket closed, before or after hello. */
  | { kind: 'lost' }
  /** The time of `waiting` is over. */
  | { kind: 'due' }

/** Pause before an attempt, in milliseconds. */
function pauseMsBefore(attempt: number): number {
  return attempt <= RECONNECT_FAST_ATTEMPTS ? RECONNECT_FAST_MS : RECONNECT_SLOW_MS
}

/** Returns the state after an event. An event that the state does not expect changes nothing. */
export function reconnect(state: ReconnectState, event: ReconnectEvent): ReconnectState {
  switch (event.kind) {
    case 'connected':
      return state.kind === 'connecting' ? { kind: 'connected' } : state
    case 'due':
      return state.kind === 'waiting' ? { kind: 'connecting', attempt: state.attempt } : state
    case 'lost': {
      if (state.kind !== 'connecting' && state.kind !== 'connected') return state
      const attempt = state.kind === 'connected' ? 1 : state.attempt + 1
      if (attempt > RECONNECT_MAX_ATTEMPTS) return { kind: 'reloading' }
      return { kind: 'waiting', attempt, waitMs: pauseMsBefore(attempt) }
    }
  }
}
