// Vite's messages to and from browsers, without a socket of Vite's own: the development connection carries them (V2).

import type { HotChannel, HotChannelClient, HotPayload } from 'vite'

/** One page in one browser. */
export interface BrowserPeer {
  /** Takes a message of Vite's protocol. */
  send(text: string): void
}

export interface BrowserChannel {
  transport: HotChannel
  join(peer: BrowserPeer): void
  leave(peer: BrowserPeer): void
  /** Hands a message of a page to Vite. */
  receive(peer: BrowserPeer, text: string): void
  /** Hears everything that Vite tells browsers: errors of modules among them. */
  onSend(listener: (payload: HotPayload) => void): void
}

type Listener = (data: unknown, client: HotChannelClient) => void

export function createBrowserChannel(): BrowserChannel {
  const peers = new Set<BrowserPeer>()
  const listeners = new Map<string, Set<Listener>>()
  const senders: ((payload: HotPayload) => void)[] = []
  const emit = (event: string, data: unknown, peer: BrowserPeer) => {
    const client: HotChannelClient = { send: (payload: HotPayload) => peer.send(JSON.stringify(payload)) }
    for (const listener of listeners.get(event) ?? []) listener(data, client)
  }
  return {
    transport: {
      send(payload: HotPayload) {
        for (const listener of senders) listener(payload)
        const text = JSON.stringify(payload)
        for (const peer of peers) peer.send(text)
      },
      on(event: string, listener: Listener) {
        listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
      },
      // Vite's type leaves the function open.
      off: (event: string, listener: unknown) => void listeners.get(event)?.delete(listener as Listener),
      close: () => peers.clear(),
    } as HotChannel,
    join(peer) {
      peers.add(peer)
      peer.send('{"type":"connected"}')
      emit('vite:client:connect', undefined, peer)
    },
    leave(peer) {
      if (peers.delete(peer)) emit('vite:client:disconnect', undefined, peer)
    },
    receive(peer, text) {
      const message = parseCustom(text)
      if (message) emit(message.event, message.data, peer)
    },
    onSend: (listener) => void senders.push(listener),
  }
}

/**
 * SECURITY: pages send custom events only. `vite:invoke` would let a page ask for any module by any name; nothing in a
 * page of ours does.
 */
function parseCustom(text: string): { event: string; data: unknown } | undefined {
  try {
    const { type, event, data } = JSON.parse(text) as { type?: unknown; event?: unknown; data?: unknown }
    return type === 'custom' && typeof event === 'string' && event !== 'vite:invoke' ? { event, data } : undefined
  } catch {
    // Not of Vite's protocol.
    return undefined
  }
}
