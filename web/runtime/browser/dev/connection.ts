// The development connection: a WebSocket that reopens by a rule (V2), which is a pure reducer: attempts 1-5 each after 1 s,
// 6-25 each after 5 s, page reload when the 25th fails; a success resets the count.

import {
  RECONNECT_FAST_ATTEMPTS,
  RECONNECT_FAST_MS,
  RECONNECT_MAX_ATTEMPTS,
  RECONNECT_SLOW_MS,
} from '@portico/shared/wire/constants.ts'
import {
  DEV_HELLO_TIMEOUT_MS,
  type DevBrowserMessage,
  type DevServerMessage,
  parseDevServerMessage,
} from '@portico/shared/wire/dev/dev-wire.ts'

/** `attempt` 0 is the first connection of a page, which is not an attempt of the rule. */
export type ReconnectState =
  | { kind: 'connecting'; attempt: number }
  | { kind: 'connected' }
  | { kind: 'waiting'; attempt: number; waitMs: number }
  | { kind: 'reloading' }

type ReconnectEvent =
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
function reconnect(state: ReconnectState, event: ReconnectEvent): ReconnectState {
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

/** The part of a WebSocket that is used. */
interface DevSocket {
  send(text: string): void
  close(): void
}

interface SocketListeners {
  onMessage: (data: unknown) => void
  onClose: () => void
}

interface ConnectionDeps {
  openSocket: (listeners: SocketListeners) => DevSocket
  setTimer: (callback: () => void, milliseconds: number) => unknown
  clearTimer: (timer: unknown) => void
  reload: () => void
  onState: (state: ReconnectState) => void
  onMessage: (message: DevServerMessage) => void
}

export interface DevConnection {
  /** Sends now, or when the connection is open again. */
  send(message: DevBrowserMessage): void
}

/** Messages that wait for a connection: a page without a server must not collect them without limit. */
const MOST_WAITING = 100

/** Opens the connection and keeps it open until the rule gives up and reloads the page. */
export function createConnection(deps: ConnectionDeps): DevConnection {
  let state: ReconnectState = { kind: 'connecting', attempt: 0 }
  let socket: DevSocket | undefined
  let helloTimer: unknown
  /** Number of the current socket. */
  let current = 0
  const waiting: string[] = []

  const dispatch = (event: ReconnectEvent) => {
    const next = reconnect(state, event)
    if (next === state) return
    state = next
    deps.onState(state)
    if (state.kind === 'connecting') open()
    if (state.kind === 'waiting') deps.setTimer(() => dispatch({ kind: 'due' }), state.waitMs)
    if (state.kind === 'reloading') deps.reload()
  }

  const open = () => {
    // Late events of an earlier socket have no effect.
    const mine = ++current
    const lose = () => {
      if (mine !== current) return
      current++
      deps.clearTimer(helloTimer)
      dispatch({ kind: 'lost' })
    }
    const made = deps.openSocket({
      onClose: lose,
      onMessage(data) {
        const message = typeof data === 'string' && mine === current ? parseDevServerMessage(data) : undefined
        if (!message) return
        if (message.kind === 'hello') greet(made)
        deps.onMessage(message)
      },
    })
    socket = made
    // A server that accepts and then sends nothing counts as a lost connection.
    helloTimer = deps.setTimer(() => {
      lose()
      made.close()
    }, DEV_HELLO_TIMEOUT_MS)
  }

  const greet = (made: DevSocket) => {
    deps.clearTimer(helloTimer)
    dispatch({ kind: 'connected' })
    for (const text of waiting.splice(0)) made.send(text)
  }

  open()
  return {
    send(message) {
      const text = JSON.stringify(message)
      if (state.kind === 'connected' && socket) socket.send(text)
      else if (waiting.length < MOST_WAITING) waiting.push(text)
    },
  }
}
