// The socket of Vite's client, carried over the development connection, with the events of the platform.

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
  // Stands for the browser's constructor, of which only the call is looked at.
  const scope = { WebSocket: NativeSocket as unknown as typeof WebSocket }
  const carrier = carryViteSockets(scope, (message) => sent.push(message))
  const open = (protocol: string) => {
    const socket = new scope.WebSocket('ws://site.test/?token=1', protocol)
    const heard: string[] = []
    for (const name of ['open', 'close', 'error']) socket.addEventListener(name, () => heard.push(name))
    socket.addEventListener('message', ({ data }) => heard.push(String(data)))
    return { socket, heard }
  }
  return { scope, sent, carrier, open }
}

test('V2 opens the socket of Vite’s client when the development connection stands, and tells it of no close', async () => {
  const { carrier, open } = setUp()
  const { socket, heard } = open('vite-hmr')
  await Promise.resolve()
  expect(socket.readyState).toBe(0)
  carrier.open()
  await Promise.resolve()
  expect(socket.readyState).toBe(socket.OPEN)
  carrier.receive('{"type":"connected"}')
  // A connection that was lost and stands again.
  carrier.open()
  await Promise.resolve()
  socket.close()
  expect(heard).toEqual(['open', '{"type":"connected"}'])
})

test('V2 opens a socket that is made while the connection stands, after its listeners are added', async () => {
  const { carrier, open } = setUp()
  carrier.open()
  const { heard } = open('vite-hmr')
  await Promise.resolve()
  expect(heard).toEqual(['open'])
})

test('V2 answers the pings of Vite’s client when the connection stands, and gives them no messages', async () => {
  const { carrier, open } = setUp()
  const { heard } = open('vite-ping')
  carrier.open()
  await Promise.resolve()
  carrier.receive('{"type":"connected"}')
  expect(heard).toEqual(['open'])
})

test('V2 carries what Vite’s client says, but its life signs', () => {
  const { sent, open } = setUp()
  const { socket } = open('vite-hmr')
  socket.send('{"type":"ping"}')
  socket.send('{"type":"custom","event":"vite:invalidate"}')
  expect(sent).toEqual([{ kind: 'vite', data: '{"type":"custom","event":"vite:invalidate"}' }])
})

test('V2 leaves the page’s own sockets alone', () => {
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
])('V2 tells of %s whether it puts other code into the page', (data, expected) => {
  expect(isViteUpdate(data)).toBe(expected)
})
