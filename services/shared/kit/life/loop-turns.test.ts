// The turns of a service's event loop, a real one: which requests begin in which turn, how many connections a turn accepts.

import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { connect, createServer, type ListenOptions, type Server } from 'node:net'
import { expect, test } from 'vitest'
import type { Log } from '../observe/log.ts'
import { createRefusals } from '../observe/refusals.ts'
import { createLimitedServers } from './limited-servers.ts'
import { listen } from './listen.ts'
import { createListeners } from './listeners.ts'
import { beginInTurns, listenInTurns } from './loop-turns.ts'
import { drain } from './serve-drain.ts'

/** Sends requests to a handler that notes each in the turn in which the request begins. */
function noteTurns(most: number) {
  const turns: string[][] = [[]]
  const begin = beginInTurns((request) => void turns.at(-1)?.push(request.url ?? ''), most)
  const send = (urls: string[], socket = { destroyed: false }) => {
    // The turns read nothing else of an exchange.
    for (const url of urls) begin({ url, socket } as unknown as IncomingMessage, {} as ServerResponse)
  }
  /** Resolves with the turns until one begins no request. */
  const untilIdle = async () => {
    do {
      turns.push([])
      await new Promise(setImmediate)
    } while (turns.at(-1)?.length)
    return turns.filter((begun) => begun.length > 0)
  }
  return { send, untilIdle }
}

const named = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `/${from + at}`)

test('L4 a turn begins a few requests, in the order of their arrival, the first ones immediately', async () => {
  const { send, untilIdle } = noteTurns(8)
  send(named(0, 20))
  expect(await untilIdle()).toEqual([named(0, 8), named(8, 16), named(16, 20)])
  // The turns before have left nothing behind.
  send(named(20, 28))
  expect(await untilIdle()).toEqual([named(0, 8), named(8, 16), named(16, 20), named(20, 28)])
})

test('L4 a request that arrives later does not begin before those that wait', async () => {
  const { send, untilIdle } = noteTurns(8)
  send(named(0, 12))
  // In the next turn, behind those that it begins.
  setImmediate(send, named(12, 30))
  const turns = await untilIdle()
  expect(turns.flat()).toEqual(named(0, 30))
  expect(Math.max(...turns.map(({ length }) => length))).toBe(8)
})

test('L4 requests of earlier turns, which were few, do not let a turn begin more', async () => {
  const { send, untilIdle } = noteTurns(8)
  for (let turn = 0; turn < 3; turn++) {
    send([`/early-${turn}`])
    await new Promise(setImmediate)
  }
  send(named(0, 20))
  const turns = await untilIdle()
  expect(turns.flat().slice(3)).toEqual(named(0, 20))
  // The first one has those of the turns before.
  expect(turns.map(({ length }) => length)).toEqual([8, 8, 7])
})

test('L4 a request whose client disconnected while it waited does not begin', async () => {
  const { send, untilIdle } = noteTurns(8)
  const socket = { destroyed: false }
  send(named(0, 8))
  send(['/left'], socket)
  send(['/next'])
  socket.destroyed = true
  expect(await untilIdle()).toEqual([named(0, 8), ['/next']])
})

// The methods of the log that refusals use.
const log = { info() {}, warn() {} } as unknown as Log
const hello: RequestListener = (_request, response) => response.end('hello')
const CLIENTS = 128

/** Connects many clients in one moment; resolves with the connections that each turn of the event loop accepted. */
async function acceptedByTurn(port: number, connected: () => number) {
  const sockets = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'))
  const turns: number[] = []
  while (connected() < CLIENTS) {
    const before = connected()
    await new Promise(setImmediate)
    if (connected() > before) turns.push(connected() - before)
  }
  return { sockets, turns }
}

test('L4 a turn of the event loop accepts several connections, and a drain ends all of them', async () => {
  const limited = createLimitedServers({ refusals: createRefusals({ log }) })
  let isDraining = false
  const listeners = createListeners({ limited, isDraining: () => isDraining })
  await listeners.open({ name: 'public', host: '127.0.0.1', port: 0, handler: hello })
  let connections = 0
  for (const server of listeners.servers) server.on('connection', () => connections++)
  const { sockets, turns } = await acceptedByTurn(listeners.ports.public ?? 0, () => connections)
  expect(Math.max(...turns)).toBeLessThanOrEqual(16)
  // The system spreads them by chance: about 8 connections are those of one socket, and as many turns are needed.
  expect(turns.length).toBeLessThan(CLIENTS / 4)
  const responses = sockets.map(async (socket) => {
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    const [bytes] = await once(socket, 'data')
    return String(bytes).split('\r\n')[0]
  })
  expect(new Set(await Promise.all(responses))).toEqual(new Set(['HTTP/1.1 200 OK']))
  const ends = sockets.map((socket) => once(socket.resume(), 'close'))
  isDraining = true
  await drain(listeners, { drain: { delayMs: 0, deadlineMs: 10_000 } })
  await Promise.all(ends)
  limited.close()
})

test.each(['ENOTSUP', 'ENOPROTOOPT'])(
  'L4 a system that does not spread connections (%s) gets one socket, and any other error is reported',
  async (code) => {
    const failing = (reason: string) => {
      const server = createHttpServer(hello)
      const listenPlainly = server.listen.bind(server) as (options: ListenOptions, done: () => void) => Server
      server.listen = ((options: ListenOptions, done: () => void) => {
        if (!options.reusePort) return listenPlainly(options, done)
        server.emit('error', Object.assign(new Error(`listen ${reason}`), { code: reason }))
        return server
      }) as typeof server.listen
      return server
    }
    const address = { name: 'one', host: '127.0.0.1', port: 0 }
    const doors: Server[] = []
    const server = failing(code)
    const port = await listenInTurns(server, address, doors)
    expect(doors).toEqual([])
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('hello')
    server.closeAllConnections()
    server.close()
    await expect(listenInTurns(failing('EACCES'), address, doors)).rejects.toThrow('cannot listen on 127.0.0.1:0 (one)')
  },
)

test('L4 control: Node accepts one connection of a socket that listens in a turn', async () => {
  let connections = 0
  const server = createServer().on('connection', () => connections++)
  const port = await listen(server, { name: 'one', host: '127.0.0.1', port: 0 })
  const { sockets, turns } = await acceptedByTurn(port, () => connections)
  expect(Math.max(...turns)).toBe(1)
  for (const socket of sockets) socket.destroy()
  server.close()
})
