// Clients that begin requests of every kind, send a byte every few seconds, and never end them; and the steady
// requests of another client meanwhile.

import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Member } from './fleet.ts'

/** Fewer than the gateway takes of one address, whatever the machine's load. */
const MOST_SOCKETS = 200
const TRICKLE_MS = 4000
/** New connections are opened so many at a time: 5 000 in a second at first, and what was ended again at 250 a second. */
const FIRST_BATCH = 100
const BATCH = 5
const BATCH_PAUSE_MS = 20

const post = (framing: string, actionId: string) =>
  `POST /traces HTTP/1.1\r\nHost: site.test\r\nContent-Type: application/json\r\nPortico-Action: ${actionId}\r\nSec-Fetch-Site: same-origin\r\n${framing}\r\n\r\n`

/** What each kind sends first, and then piece by piece. */
const KINDS: ((actionId: string) => { start: string; piece: string })[] = [
  () => ({ start: 'GET / HTTP/1.1\r\nHost: site.test\r\nX-Long: a', piece: 'a' }),
  (id) => ({ start: post('Content-Length: 65536', id) + 'a'.repeat(65_000), piece: 'a' }),
  (id) => ({ start: post('Content-Length: 10000000', id) + 'a'.repeat(100_000), piece: 'a' }),
  (id) => ({ start: `${post('Transfer-Encoding: chunked', id)}3\r\nabc\r\n`, piece: '1\r\na\r\n' }),
  () => ({
    start: `POST /api/notes HTTP/1.1\r\nHost: site.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n`,
    piece: '1;extension\r\na\r\n',
  }),
]

export interface Attack {
  /** Connections that the gateway has ended. */
  ended(): number
  /** Ends all connections. */
  leave(): void
}

interface AttackOptions {
  count: number
  actionId: string
  /** Whether connections that the gateway ends are opened again. */
  isReconnecting: boolean
}

/** Opens and holds connections from 20 addresses; resolves when all were opened once. */
export async function attack(gateway: Member, { count, actionId, isReconnecting }: AttackOptions): Promise<Attack> {
  const sockets = new Map<Socket, string>()
  let ended = 0
  let number = 0
  const begin = () => {
    const { start, piece } = KINDS[number % KINDS.length]!(actionId)
    const localAddress = `127.0.0.${2 + (Math.floor(number / KINDS.length) % 20)}`
    number++
    const socket = connect({ host: gateway.address, port: gateway.port, localAddress })
    sockets.set(socket, piece)
    socket.once('connect', () => socket.write(start))
    socket.on('error', () => {}).resume()
    socket.once('close', () => {
      sockets.delete(socket)
      ended++
    })
  }
  let isOver = false
  const fill = async () => {
    while (!isOver) {
      const batch = number < count ? FIRST_BATCH : isReconnecting ? BATCH : 0
      for (let free = Math.min(batch, count - sockets.size); free > 0; free--) begin()
      await new Promise((done) => setTimeout(done, BATCH_PAUSE_MS))
    }
  }
  void fill()
  const trickle = setInterval(() => {
    for (const [socket, piece] of sockets) if (socket.writable) socket.write(piece)
  }, TRICKLE_MS)
  while (number < count) await new Promise((done) => setTimeout(done, BATCH_PAUSE_MS))
  return {
    ended: () => ended,
    leave() {
      isOver = true
      clearInterval(trickle)
      for (const socket of sockets.keys()) socket.resetAndDestroy()
    },
  }
}

/** Requests of one well-behaved client at a steady rate: pages, API calls and forms without JavaScript. */
export function startSteady(gateway: Member, perSecond: number, actionId: string) {
  const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.1', maxSockets: MOST_SOCKETS })
  const faults: string[] = []
  const times: number[] = []
  const running = new Set<Promise<void>>()
  const started = performance.now()
  let count = 0
  const sendOne = (number: number) =>
    new Promise<void>((resolve) => {
      const { method, path, headers, body } = requestOf(number, actionId)
      const at = performance.now()
      const fail = (what: string) => {
        faults.push(`${method} ${path} at ${Math.round(at - started)} ms: ${what}`)
        resolve()
      }
      const sent = request({ host: gateway.address, port: gateway.port, agent, method, path, headers }, (response) => {
        response.resume()
        response.on('error', (error) => fail(error.message))
        response.on('end', () => {
          times.push(performance.now() - at)
          if ([200, 303].includes(response.statusCode ?? 0)) resolve()
          else fail(`status ${response.statusCode}`)
        })
      })
      sent.setTimeout(30_000, () => sent.destroy(new Error('no response')))
      sent.on('error', (error) => fail(error.message))
      sent.end(body)
    })
  const timer = setInterval(() => {
    while (count < ((performance.now() - started) * perSecond) / 1000) {
      const one = sendOne(count++)
      running.add(one)
      void one.then(() => running.delete(one))
    }
  }, 10)
  return {
    faults,
    async stop() {
      clearInterval(timer)
      await Promise.all(running)
      agent.destroy()
      times.sort((left, right) => left - right)
      const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0)
      return { requests: times.length, medianMs: at(0.5), p99Ms: at(0.99), mostMs: at(0.9999) }
    },
  }
}

const PAGES = ['/', '/items/six', '/about', '/headers']

function requestOf(number: number, actionId: string) {
  const name = randomBytes(8).toString('hex')
  if (number % 3 === 0) return { method: 'GET', path: PAGES[number % PAGES.length]!, headers: {}, body: undefined }
  if (number % 3 === 1) return { method: 'GET', path: '/api/notes', headers: {}, body: undefined }
  const body = new URLSearchParams({ [`$ACTION_ID_${actionId}`]: '', name }).toString()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length),
    'sec-fetch-site': 'same-origin',
    cookie: `portico-visitor=${name}-0123456789abcdef`,
  }
  return { method: 'POST', path: '/traces', headers, body }
}

/** Resident memory of a process, in MiB. */
export async function memoryOf({ child }: Member): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

/** Descriptors that a process holds. */
export async function descriptorsOf({ child }: Member): Promise<number> {
  return (await readdir(`/proc/${child.pid}/fd`)).length
}
