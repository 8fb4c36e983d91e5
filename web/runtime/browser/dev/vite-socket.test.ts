// The socket of Vite's client over the development connection, with the platform's events.

import { expect, test } from 'vitest'
import { carryViteSockets, isViteUpdate } from './vite-socket.ts'

class NativeSocket extends EventTarget {
  readonly url: string
  readonly protocols: unknown
  constructor(url: string, protocols?: unknown) {
    super()
    this.url = url
    this.protocols = protocols
  }
}

function setUp() {
  const sent: unknown[] = []
  // In place of the browser's constructor: only its calls are checked.
  const scope = { WebSocket: NativeSocket as unknown as typeof WebSocket }
  const carrier = carryViteSockets(scope, (message) => sent.push(message))
  const open = (protocol: string) => {
    const socket = new scope.WebSocket('ws://site.test/?token=1', protocol)
    const events: string[] = []
    for (const name of ['open', 'close', 'error']) socket.addEventListener(name, () => events.push(name))
    socket.addEventListener('message', ({ data }) => events.push(String(data)))
    return { socket, events }
  }
  return { scope, sent, carrier, open }
}

test('V2 opens the socket of Vite’s client when the development connection is open, and sends no close event', async () => {
  const { carrier, open } = setUp()
  const { socket, events } = open('vite-hmr')
  await Promise.resolve()
  expect(socket.readyState).toBe(0)
  carrier.open()
  await Promise.resolve()
  expect(socket.readyState).toBe(socket.OPEN)
  carrier.receive('{"type":"connected"}')
  // The connection was lost and is open again.
  carrier.open()
  await Promise.resolve()
  socket.close()
  expect(events).toEqual(['open', '{"type":"connected"}'])
})

test('V2 opens a socket that is made while the connection is open, after its listeners are added', async () => {
  const { carrier, open } = setUp()
  carrier.open()
  const { events } = open('vite-hmr')
  await Promise.resolve()
  expect(events).toEqual(['open'])
})

test('V2 opens the ping sockets of Vite’s client when the connection is open, and sends them no messages', async () => {
  const { carrier, open } = setUp()
  const { events } = open('vite-ping')
  carrier.open()
  await Promise.resolve()
  carrier.receive('{"type":"connected"}')
  expect(events).toEqual(['open'])
})

test('V2 carries the messages of Vite’s client except pings', () => {
  const { sent, open } = setUp()
  const { socket } = open('vite-hmr')
  socket.send('{"type":"ping"}')
  socket.send('{"type":"custom","event":"vite:invalidate"}')
  expect(sent).toEqual([{ kind: 'vite', data: '{"type":"custom","event":"vite:invalidate"}' }])
})

test('V2 does not change the page’s own sockets', () => {
  const { scope } = setUp()
  const plain = new scope.WebSocket('ws://site.test/chat')
  const named = new scope.WebSocket('ws://site.test/chat', ['chat', 'v2'])
  expect(plain).toBeInstanceOf(NativeSocket)
  expect(plain).toMatchObject({ url: 'ws://site.test/chat', protocols: undefined })
  expect(named).toMatchObject({ protocols: ['chat', 'v2'] })
  expect(plain).toBeInstanceOf(scope.WebSocket)
})

test.each([
  ['{"type":"update","updates":[]}', true],
  ['{"type":"full-reload"}', true],
  ['{"type":"connected"}', false],
  ['{"type":"custom","event":"x","data":{"type":"update"}}', false],
])('V2 recognises whether %s changes the code of the page', (data, expected) => {
  expect(isViteUpdate(data)).toBe(expected)
})
