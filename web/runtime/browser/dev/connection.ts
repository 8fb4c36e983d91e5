// The development connection: a WebSocket kept open by the rule of reconnect.ts, with everything outside injected.

import {
  DEV_HELLO_TIMEOUT_MS,
  type DevBrowserMessage,
  type DevServerMessage,
  parseDevServerMessage,
} from '@portico/shared/wire/dev/dev-wire.ts'
import { type ReconnectEvent, type ReconnectState, reconnect } from './reconnect.ts'

/** The part of a WebSocket that is used. */
export interface DevSocket {
  send(text: string): void
  close(): void
}

export interface SocketListeners {
  onMessage: (data: unknown) => void
  onClose: () => void
}

export interface ConnectionDeps {
  openSocket: (listeners: SocketListeners) => DevSocket
  setTimer: (callback: () => void, milliseconds: number) => unknown
  clearTimer: (timer: unknown) => void
  reload: () => void
  onState: (state: ReconnectState) => void
  onMessage: (message: DevServerMessage) => void
}

export interface DevConnection {
  /** Sends now, or when the connection stands again. */
  send(message: DevBrowserMessage): void
}

/** What waits for a connection is bounded: a page left open over night must not collect without end. */
const MOST_WAITING = 100

/** Opens the connection and keeps it open until the rule gives up and reloads the page. */
export function createConnection(deps: ConnectionDeps): DevConnection {
  let state: ReconnectState = { kind: 'connecting', attempt: 0 }
  let socket: DevSocket | undefined
  let helloTimer: unknown
  /** Number of the socket that counts. */
  let opened = 0
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
    // A socket that was given up may tell of its end later; only the current one counts.
    const mine = ++opened
    const lose = () => {
      if (mine !== opened) return
      opened++
      deps.clearTimer(helloTimer)
      dispatch({ kind: 'lost' })
    }
    const made = deps.openSocket({
      onClose: lose,
      onMessage(data) {
        const message = typeof data === 'string' && mine === opened ? parseDevServerMessage(data) : undefined
        if (!message) return
        if (message.kind === 'hello') greet(made)
        deps.onMessage(message)
      },
    })
    socket = made
    // A server that accepts and then says nothing is not there.
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
