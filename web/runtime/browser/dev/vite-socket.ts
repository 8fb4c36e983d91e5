// Carries the socket of Vite's client over the development connection. Vite's client reloads the page by a rule of its
// own when its socket closes; the one made here never does.

import type { DevBrowserMessage } from '@portico/shared/wire/dev/dev-wire.ts'

const CARRIED: ReadonlySet<string> = new Set(['vite-hmr', 'vite-ping'])

export interface ViteCarrier {
  /** Gives a message of Vite's server to Vite's client. */
  receive(data: string): void
  /** The connection stands: what waits for an open socket goes on. */
  open(): void
}

/**
 * Takes the place of `WebSocket` in `scope` for Vite's two protocols; all other sockets are the browser's. Must run
 * before Vite's client is loaded.
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

/** Whether a message of Vite's server puts other code into the page. */
export function isViteUpdate(data: string): boolean {
  return /^\{"type":"(update|full-reload)"/.test(data)
}

/** What Vite's client uses of a socket. It opens once and stays open; a lost connection is nobody's business but ours. */
class CarriedSocket extends EventTarget {
  readonly OPEN = 1
  readonly url: string
  readonly protocol: string
  readyState = 0
  readonly #send: (message: DevBrowserMessage) => void
  /** Forgets the socket. No `close` is told of: Vite's client would reload the page. */
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
    // The life signs of Vite's client keep its own socket open, which is none.
    if (this.protocol === 'vite-hmr' && !data.startsWith('{"type":"ping"')) this.#send({ kind: 'vite', data })
  }
}
