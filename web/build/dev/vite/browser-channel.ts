// Vite's messages to and from browsers. Vite has no socket: the development connection carries the messages (V2).

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { HotChannel, HotChannelClient, HotPayload } from 'vite'

/** One page in one browser. Exported, because declarations of the package name it. */
export interface BrowserPeer {
  /** Sends a message of Vite's protocol to the page. */
  send(text: string): void
}

export type BrowserChannel = ReturnType<typeof createBrowserChannel>

type Listener = (data: unknown, client: HotChannelClient) => void

export function createBrowserChannel() {
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
      // The cast: Vite's type accepts any function here.
      off: (event: string, listener: unknown) => void listeners.get(event)?.delete(listener as Listener),
      close: () => peers.clear(),
      // The cast: Vite infers the type of `data` from the name of an event; here every event is a string.
    } as HotChannel,
    join(peer: BrowserPeer): void {
      peers.add(peer)
      peer.send('{"type":"connected"}')
      emit('vite:client:connect', undefined, peer)
    },
    leave(peer: BrowserPeer): void {
      if (peers.delete(peer)) emit('vite:client:disconnect', undefined, peer)
    },
    /** Passes a message of a page to Vite. */
    receive(peer: BrowserPeer, text: string): void {
      const message = parseCustom(text)
      if (message) emit(message.event, message.data, peer)
    },
    /** Calls the listener with every message that Vite sends to browsers, errors of modules included. */
    onSend: (listener: (payload: HotPayload) => void) => void senders.push(listener),
  }
}

/**
 * SECURITY: accepts custom events only. With `vite:invoke` a page could request any module by name; our pages never send
 * it.
 */
function parseCustom(text: string): { event: string; data: unknown } | undefined {
  try {
    const message: unknown = JSON.parse(text)
    if (!isRecord(message)) return undefined
    const { type, event, data } = message
    return type === 'custom' && typeof event === 'string' && event !== 'vite:invoke' ? { event, data } : undefined
  } catch {
    // Not a message of Vite's protocol: ignored.
    return undefined
  }
}
