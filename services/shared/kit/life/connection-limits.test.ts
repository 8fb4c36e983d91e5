import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { connectionsToClose } from '../testing.ts'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'

describe('room for a connection', () => {
  const held = (sizes: Record<string, number>) =>
    new Map(
      Object.entries(sizes).map(([address, size]) => [
        address,
        new Set(Array.from({ length: size }, (_, index) => `${address}${index}`)),
      ]),
    )
  const CASES: [string, Record<string, number>, string, number, string[]][] = [
    ['is made by the oldest of the address that holds most', { a: 2, b: 5 }, 'c', 2, ['b0', 'b1']],
    ['is made down to what the newcomer would hold', { a: 2, b: 3 }, 'c', 9, ['b0', 'b1', 'a0']],
    ['is not made among addresses that hold one each', { a: 1, b: 1 }, 'c', 9, []],
    ['is not made for the address that holds most', { a: 2, b: 5 }, 'b', 9, []],
  ]
  it.each(CASES)('G8 %s', (_name, sizes, newcomer, most, closed) => {
    const found = connectionsToClose(held(sizes), newcomer, most, () => true)
    expect(found.map(([, connection]) => connection)).toEqual(closed)
  })

  it('G8 is never made by a connection with a running request', () => {
    const found = connectionsToClose(held({ a: 4 }), 'c', 9, (connection) => connection === 'a2')
    expect(found).toEqual([['a', 'a2']])
  })
})

describe('the connections of a listener', () => {
  const sockets: Socket[] = []
  const servers: { close(): void; closeAllConnections(): void }[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  async function listen(limits: ConnectionLimits) {
    const reasons: string[] = []
    const busy = new Set<unknown>()
    const server = createServer((request) => void busy.add(request.socket))
    limitConnections(server, { limits, busySockets: () => busy, note: (reason) => reasons.push(reason) })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    servers.push(server)
    // A TCP server that listens has an AddressInfo.
    const { port } = server.address() as AddressInfo
    const open = (address: string, text = '') => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: address })
      sockets.push(socket.on('error', () => {}).resume())
      const connection = { socket, isClosed: false }
      socket.once('connect', () => socket.write(text))
      socket.once('close', () => {
        connection.isClosed = true
      })
      return connection
    }
    return { open, reasons, busy }
  }

  it('G8 are limited per address, and closing one makes room', async () => {
    const { open, reasons } = await listen({ total: 10, perAddress: 2 })
    const connections = [open('127.0.0.2'), open('127.0.0.2'), open('127.0.0.2'), open('127.0.0.3')]
    await expect.poll(() => reasons).toEqual(['connections-per-address'])
    await expect.poll(() => connections.map(({ isClosed }) => isClosed)).toEqual([false, false, true, false])
    connections[0]!.socket.destroy()
    await new Promise((done) => setTimeout(done, 50))
    const next = open('127.0.0.2')
    await new Promise((done) => setTimeout(done, 50))
    expect([next.isClosed, reasons.length]).toEqual([false, 1])
  })

  it('G8 are closed, idle ones first, for an address that holds fewer', async () => {
    const { open, reasons, busy } = await listen({ total: 4, perAddress: 4 })
    const running = open('127.0.0.2', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(() => busy.size).toBe(1)
    const attacker = [running, open('127.0.0.2'), open('127.0.0.2'), open('127.0.0.2')]
    await new Promise((done) => setTimeout(done, 50))
    const newcomer = open('127.0.0.3')
    await expect.poll(() => reasons).toEqual(['connection-displaced', 'connection-displaced', 'connection-displaced'])
    await expect.poll(() => attacker.map(({ isClosed }) => isClosed)).toEqual([false, true, true, true])
    expect(newcomer.isClosed).toBe(false)
  })

  it('G8 have only a total limit where clients are services', async () => {
    const { open, reasons } = await listen({ total: 2 })
    const connections = [open('127.0.0.2'), open('127.0.0.2'), open('127.0.0.3')]
    await expect.poll(() => reasons).toEqual(['connections'])
    await expect.poll(() => connections.map(({ isClosed }) => isClosed)).toEqual([false, false, true])
  })

  it('G8 of trusted proxies are exempt', async () => {
    const { open, reasons } = await listen({ total: 1, perAddress: 1, isExempt: (address) => address === '127.0.0.9' })
    const connections = [open('127.0.0.9'), open('127.0.0.9'), open('127.0.0.2')]
    await new Promise((done) => setTimeout(done, 100))
    expect([connections.map(({ isClosed }) => isClosed), reasons]).toEqual([[false, false, false], []])
  })
})
