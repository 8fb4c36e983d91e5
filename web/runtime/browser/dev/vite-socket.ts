// Carries the socket of Vite's client over the development connection. Vite's client reloads the page by its own rule
// when its socket closes; the socket made here never closes.

import type { DevBrowserMessage } from '@portico/shared/wire/dev/dev-wire.ts'

const CARRIED: ReadonlySet<string> = new Set(['vite-hmr', 'vite-ping'])

export interface ViteCarrier {
  /** Passes a message of Vite's server to Vite's client. */
  receive(data: string): void
  /** The connection is open: opens the waiting sockets. */
  open(): void
}

/**
 * Replaces `WebSocket` in `scope` for Vite's two protocols; all other sockets are the browser's. Must run before Vite's
 * client is loaded.
 */
export function carryViteSockets(
  scope: { WebSocket: typeof WebSocket },
  send: (message: DevBrowserMessage) => void,
): ViteCarrier {
  const sockets = new Set<CarriedSocket>()
  let isOpen = false
  scope.WebSocket = new Proxy(scope.WebSocket, {
    construct(Native, given: [string | URL, (string | string[])?], target) {
      const [url, protocols = ''] = given
      const protocol = [protocols].flat().find((name) => CARRIED.has(name))
      if (protocol === undefined) return Reflect.construct(Native, given, target)
      const socket = new CarriedSocket(String(url), protocol, send, () => sockets.delete(socket))
      sockets.add(socket)
      if (isOpen) socket.open()
      return socket
    },
  })
  return {
    receive(data) {
      for (const socket of sockets) if (socket.protocol === 'vite-hmr') socket.receive(data)
    },
    open() {
      isOpen = true
      for (const socket of sockets) socket.open()
    },
  }
}

/** Whether a message of Vite's server changes the code of the page. */
export function isViteUpdate(data: string): boolean {
  return /^\{"type":"(update|full-reload)"/.test(data)
}

/** The part of a socket that Vite's client uses. The socket opens once and stays open; connection.ts reconnects. */
class CarriedSocket extends EventTarget {
  readonly OPEN = 1
  readonly url: string
  readonly protocol: string
  readyState = 0
  readonly #send: (message: DevBrowserMessage) => void
  /** Forgets the socket without a `close` event, at which Vite's client would reload the page. */
  readonly close: () => void

  constructor(url: string, protocol: string, send: (message: DevBrowserMessage) => void, forget: () => void) {
    super()
    this.url = url
    this.protocol = protocol
    this.#send = send
    this.close = forget
  }

  open(): void {
    if (this.readyState !== 0) return
    // Listeners are added after construction.
    queueMicrotask(() => {
      if (this.readyState !== 0) return
      this.readyState = this.OPEN
      this.dispatchEvent(new Event('open'))
    })
  }

  receive(data: string): void {
    if (this.readyState === this.OPEN) this.dispatchEvent(new MessageEvent('message', { data }))
  }

  send(data: string): void {
    // Pings of Vite's client would keep a real socket open.
    if (this.protocol === 'vite-hmr' && !data.startsWith('{"type":"ping"')) this.#send({ kind: 'vite', data })
  }
}
