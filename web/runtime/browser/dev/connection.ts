// The development connection: a WebSocket that reopens by the rule of reconnect.ts.

import {
  DEV_HELLO_TIMEOUT_MS,
  type DevBrowserMessage,
  type DevServerMessage,
  parseDevServerMessage,
} from '@portico/shared/wire/dev/dev-wire.ts'
import { type ReconnectEvent, type ReconnectState, reconnect } from './reconnect.ts'

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
