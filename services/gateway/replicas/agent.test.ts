// The agent with a real server: open connections are reused, closed connections are not, and no connection is lost.

import { createServer, type IncomingMessage, type Server, request as sendRequest } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createConnecting, createReplicaAgent, type ReplicaAgent } from './agent.ts'

let server: Server
let connections = 0
let agent: ReplicaAgent

async function start(handler: (request: IncomingMessage) => string | undefined): Promise<number> {
  connections = 0
  agent = createReplicaAgent()
  server = createServer((request, response) => {
    const text = handler(request)
    if (text === undefined) request.socket.destroy()
    else response.end(text)
  })
  server.on('connection', () => connections++)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  return (server.address() as AddressInfo).port
}

afterEach(() => {
  server.close()
  server.closeAllConnections()
})

function get(port: number, path: string): Promise<{ text: string; wasReused: boolean }> {
  return new Promise((resolve, reject) => {
    const request = sendRequest({ host: '127.0.0.1', port, path, agent }, async (response) => {
      let text = ''
      for await (const chunk of response as AsyncIterable<Buffer>) text += chunk.toString()
      resolve({ text, wasReused: request.reusedSocket })
    })
    request.on('error', reject)
    request.end()
  })
}

test('G2 a kept connection is reused, and each response reaches its request', async () => {
  const port = await start((request) => request.url)
  expect(await get(port, '/0')).toEqual({ text: '/0', wasReused: false })
  for (let at = 1; at < 5; at++) expect(await get(port, `/${at}`)).toEqual({ text: `/${at}`, wasReused: true })
  expect(connections).toBe(1)
  const texts = Array.from({ length: 40 }, (_, at) => `/many/${at}`)
  for (let round = 0; round < 3; round++)
    expect((await Promise.all(texts.map((path) => get(port, path)))).map(({ text }) => text)).toEqual(texts)
  expect(connections).toBe(40)
})

test('G2 the bytes of all responses are counted, of connections that have ended, too', async () => {
  const port = await start((request) => (request.url === '/break' ? undefined : 'x'.repeat(1000)))
  expect(agent.receivedBytes()).toBe(0)
  await Promise.all([get(port, '/a'), get(port, '/b')])
  const bytes = agent.receivedBytes()
  expect(bytes).toBeGreaterThan(2000)
  await expect(get(port, '/break')).rejects.toThrow(/socket hang up|ECONNRESET/)
  server.closeAllConnections()
  await expect.poll(() => agent.freeSockets.replica ?? []).toEqual([])
  expect(agent.receivedBytes()).toBe(bytes)
  await get(port, '/c')
  expect(agent.receivedBytes()).toBeGreaterThan(bytes + 1000)
})

test('G2 an idle connection that the server closed is not reused', async () => {
  const port = await start((request) => request.url)
  await get(port, '/a')
  await expect.poll(() => agent.freeSockets.replica?.length).toBe(1)
  server.closeAllConnections()
  await expect.poll(() => agent.freeSockets.replica ?? []).toEqual([])
  expect(await get(port, '/b')).toEqual({ text: '/b', wasReused: false })
})

test('G2 a request whose connection breaks fails alone, and its socket is removed', async () => {
  const port = await start((request) => (request.url === '/break' ? undefined : request.url))
  await get(port, '/a')
  await expect(get(port, '/break')).rejects.toThrow(/socket hang up|ECONNRESET/)
  expect(await get(port, '/b')).toEqual({ text: '/b', wasReused: false })
  await expect.poll(() => agent.sockets.replica ?? []).toEqual([])
  expect(agent.freeSockets.replica).toHaveLength(1)
})

test('G2 a request gets a connection once it is made, and fails alone where it is not', async () => {
  const port = await start((request) => request.url)
  agent = createReplicaAgent(50)
  /** No address is found, for now. */
  const pending = (lookup: () => void) => {
    const request = sendRequest({ host: 'replica.test', port, agent, lookup })
    const onSocket = vi.fn()
    const error = new Promise<Error>((done) => request.once('socket', onSocket).once('error', done))
    request.end('body')
    return { error, onSocket }
  }
  const late = pending(() => {})
  expect(await late.error).toMatchObject({ code: 'ETIMEDOUT' })
  const left = pending(() => {})
  agent.leaveConnecting(new Error('ejected'))
  expect((await left.error).message).toBe('ejected')
  const removed = pending(() => {})
  agent.destroy()
  expect(await removed.error).toMatchObject({ code: 'ECONNRESET' })
  for (const { onSocket } of [late, left, removed]) expect(onSocket).not.toHaveBeenCalled()
  expect(await get(port, '/a')).toEqual({ text: '/a', wasReused: false })
})

test('G2 a TLS handshake that the other end does not finish ends with the time limit, and leaves no connection', async () => {
  const open = new Set<Socket>()
  const mute = createTcpServer((socket) => {
    open.add(socket)
    socket
      .on('error', () => {})
      .on('close', () => open.delete(socket))
      .resume()
  })
  await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done))
  onTestFinished(() => void mute.close())
  // A TCP server that listens has an AddressInfo.
  const { port } = mute.address() as AddressInfo
  const { passOnceMade } = createConnecting(50)
  const passed = new Promise<unknown>((done) => passOnceMade(connectTls({ port, host: '127.0.0.1' }), done))
  expect(await passed).toMatchObject({ code: 'ETIMEDOUT' })
  await expect.poll(() => open.size).toBe(0)
})
