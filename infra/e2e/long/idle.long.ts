// Connections that were idle for longer than a minute are used again: neither the client's nor the ones between the
// services may be closed at that moment.

import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, setStage, until } from '../faults/replicas/stage.ts'

const COUNT = 1000
const IDLE_MS = 61_000
const TARGETS = ['/', '/items/six', '/api/notes', '/_portico/image?url=/pictures/sample.jpg&w=64&q=75']

let stage: Stage

beforeAll(async () => {
  // All connections have one address.
  stage = await setStage({ replicas: 1, environment: { MAX_CONNECTIONS_PER_ADDRESS: String(2 * COUNT) } })
})
afterAll(() => stage?.close())

test(`G2 O5 ${COUNT} kept connections are used again after ${IDLE_MS / 1000} s without a reset`, async () => {
  const clients = Array.from({ length: COUNT }, () => openClient(stage.balancer.port))
  const round = async (number: number) => {
    // In small crowds: the machine's cores are not what is tested.
    for (let at = 0; at < COUNT; at += 50)
      for (const [index, client] of clients.slice(at, at + 50).entries())
        client.send(TARGETS[(at + index) % TARGETS.length] ?? '/')
    await until('all responses or ends', () =>
      clients.every(({ received, end }) => received() >= number || end() !== ''),
    )
  }
  await round(1)
  await new Promise((done) => setTimeout(done, IDLE_MS))
  const asleep = clients.filter(({ end }) => end() !== '').length
  // The expectation below names the clients without a response.
  await round(2).catch(() => {})
  const results = clients.map(({ received, end }) => `${received()} ${end()}`.trim())
  for (const { socket } of clients) socket.destroy()
  console.log(
    `${COUNT} connections, idle for ${IDLE_MS} ms: ${asleep} closed meanwhile, ${results.filter((one) => one === '2').length} used again`,
  )
  expect(results.filter((one) => one !== '2')).toEqual([])
})

function openClient(port: number) {
  const socket: Socket = connect(port, '127.0.0.1')
  let received = 0
  let end = ''
  let tail = ''
  socket.on('data', (chunk: Buffer) => {
    const text = tail + chunk.toString('latin1')
    for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g))
      if (status === '200') received++
      else end ||= `status ${status}`
    // Shorter than what is looked for: nothing is counted twice.
    tail = text.slice(-12)
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    end = error.code ?? error.message
  })
  socket.on('close', () => {
    end ||= 'closed'
  })
  const send = (target: string) =>
    socket.write(`GET ${target} HTTP/1.1\r\nHost: site.test\r\nAccept: image/webp\r\n\r\n`)
  return { socket, send, received: () => received, end: () => end }
}
