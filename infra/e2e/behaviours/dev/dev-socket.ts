// The development connection as a test sees it: handshakes with any headers, and the messages that arrive.

import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import {
  DEV_PROTOCOL,
  type DevError,
  type DevServerMessage,
  devSocketPath,
  parseDevServerMessage,
} from '@portico/shared/wire/dev/dev-wire.ts'

/** Status of a handshake: 101 when the socket was taken. */
export function shakeHands(
  baseUrl: string,
  headers: Record<string, string>,
  path = devSocketPath(''),
): Promise<number> {
  return new Promise((resolve, reject) => {
    const handshake = request(baseUrl + path, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        'sec-websocket-protocol': DEV_PROTOCOL,
        ...headers,
      },
    })
    handshake.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response.statusCode ?? 0)
    })
    handshake.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    handshake.on('error', reject)
    handshake.end()
  })
}

export interface DevListener {
  messages: DevServerMessage[]
  /** The first message from now on that fits; those of before count too. */
  until(fits: (message: DevServerMessage) => boolean): Promise<DevServerMessage>
  /** The first error that fits. */
  errorOf(fits: (error: DevError) => boolean): Promise<DevError>
  close(): void
}

/** Joins as a page of the site does. */
export async function listenAsPage(baseUrl: string): Promise<DevListener> {
  const messages: DevServerMessage[] = []
  const waiting = new Set<() => void>()
  // Node's own WebSocket takes headers, which browsers' scripts cannot set.
  const socket = new (WebSocket as unknown as new (url: string, options: object) => WebSocket)(
    baseUrl.replace('http', 'ws') + devSocketPath(''),
    { protocols: [DEV_PROTOCOL], headers: { origin: new URL(baseUrl).origin } },
  )
  socket.addEventListener('message', ({ data }) => {
    const message = parseDevServerMessage(String(data))
    if (message) messages.push(message)
    for (const look of waiting) look()
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the socket was refused')))
  })
  const until: DevListener['until'] = (fits) =>
    new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer)
        waiting.delete(look)
      }
      const look = () => {
        const found = messages.find(fits)
        if (!found) return
        done()
        resolve(found)
      }
      const timer = setTimeout(() => {
        done()
        reject(new Error(`no such message among ${JSON.stringify(messages, null, 1)}`))
      }, 40_000)
      waiting.add(look)
      look()
    })
  return {
    messages,
    until,
    async errorOf(fits) {
      const message = await until((each) => each.kind === 'error' && fits(each.error))
      return (message as DevServerMessage & { kind: 'error' }).error
    },
    close: () => socket.close(),
  }
}
