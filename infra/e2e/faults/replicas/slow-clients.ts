// Clients that send half of a post, or read a little of a response, and then do nothing; and their cost for a process.

import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { send } from '../../harness/http.ts'
import type { Member } from './fleet.ts'
import { until } from './stage.ts'

interface SlowClients {
  sockets: Socket[]
  /** Those whose connection has ended. */
  gone: () => number
  /** Destroys all connections. */
  leave(): void
}

/** A post of 64 KiB of which half arrives. */
export function sendHalves(member: Member, count: number, actionId: string): Promise<SlowClients> {
  const body = 'a'.repeat(32 * 1024)
  const lines = [
    'POST /traces HTTP/1.1',
    'Host: site.test',
    'Content-Type: application/json',
    `Portico-Action: ${actionId}`,
    'Idempotency-Key: 0123456789abcdef0123456789abcdef',
    'Sec-Fetch-Site: same-origin',
    `Content-Length: ${2 * body.length}`,
  ]
  return open(member, count, `${lines.join('\r\n')}\r\n\r\n${body}`, () => true)
}

/** Requests the target and reads the first piece only: the rest stays in buffers on the whole way. */
export function readLittle(member: Member, count: number, target: string): Promise<SlowClients> {
  return open(member, count, `GET ${target} HTTP/1.1\r\nHost: site.test\r\n\r\n`, (received) => received > 0)
}

/** Twenty addresses in turn: one alone may hold few connections. */
const addressOf = (number: number) => `127.0.0.${2 + (number % 20)}`

/** Opens them a hundred at a time; resolves when each has sent or read its part. */
async function open(member: Member, count: number, text: string, isEnough: (received: number) => boolean) {
  const sockets: Socket[] = []
  let gone = 0
  for (let at = 0; at < count; at += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, count - at) }, (_, index) => {
        const socket = connect({ host: member.address, port: member.port, localAddress: addressOf(at + index) })
        sockets.push(socket)
        return new Promise<void>((resolve, reject) => {
          socket.once('connect', () => socket.write(text, () => isEnough(0) && resolve()))
          socket.once('data', (chunk: Buffer) => {
            socket.pause()
            if (isEnough(chunk.length)) resolve()
          })
          socket.once('error', reject)
          socket.once('close', () => gone++)
        })
      }),
    )
  for (const socket of sockets) socket.on('error', () => {})
  const clients: SlowClients = {
    sockets,
    gone: () => gone,
    leave: () => sockets.forEach((socket) => void socket.resetAndDestroy()),
  }
  return clients
}

export interface Endured {
  /** Descriptors of all members: without them, with them. */
  before: number
  during: number
  /** Statuses of the requests that other clients sent meanwhile. */
  statuses: number[]
  othersMs: number
  /** Slow clients whose connection the gateway ended. */
  gone: number
  /** From the disconnection until the descriptors are free. */
  backMs: number
}

/** The requests of clients that are not slow. */
export const OTHERS = [
  '/',
  '/items/six',
  '/headers',
  '/api/notes',
  '/_portico/image?url=/pictures/sample.jpg&w=64&q=75',
] as const

/** Connections between services are kept for the next request. */
const KEPT_CONNECTIONS = 20

/**
 * Connects slow clients to a gateway, sends requests of other clients, and disconnects the slow ones. Rejects when the
 * descriptors of the members are not back 30 s later.
 */
export async function endure(
  members: readonly [gateway: Member, ...others: Member[]],
  begin: () => Promise<SlowClients[]>,
  targets: readonly string[],
): Promise<Endured> {
  const [gateway] = members
  const count = async () => (await Promise.all(members.map(countDescriptors))).reduce((sum, one) => sum + one, 0)
  const before = await count()
  const slow = await begin()
  const leave = () => slow.forEach((clients) => void clients.leave())
  try {
    const clients = slow.reduce((sum, { sockets }) => sum + sockets.length, 0)
    // On a busy machine the first ones may have ended before the last ones are open.
    await until('most of them under way', async () => (await count()) >= before + clients / 2)
    const during = await count()
    const started = performance.now()
    const statuses: number[] = []
    for (const target of targets)
      statuses.push((await send(`http://${gateway.address}:${gateway.port}`, target)).status)
    const othersMs = Math.round(performance.now() - started)
    const gone = slow.reduce((sum, clients) => sum + clients.gone(), 0)
    leave()
    const leftAt = performance.now()
    await until('the descriptors back', async () => (await count()) <= before + KEPT_CONNECTIONS)
    return { before, during, statuses, othersMs, gone, backMs: Math.round(performance.now() - leftAt) }
  } finally {
    leave()
  }
}

/** Descriptors that a process holds. */
async function countDescriptors({ child }: Member): Promise<number> {
  return (await readdir(`/proc/${child.pid}/fd`)).length
}
