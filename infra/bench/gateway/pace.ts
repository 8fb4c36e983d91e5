// Requests at a steady pace, whatever the answers take, and what their times tell.
//
//   node infra/bench/gateway/pace.ts <url> <requests a second> <seconds>    prints {"p50":…,"p99":…,"failed":…}, times in milliseconds

import { execFileSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'

export interface Pace {
  perSecond: number
  count: number
}

/**
 * Calls `one` with 0, 1, 2 … at its due time; resolves when all are done. Late answers delay no other (open loop).
 * `dueAt` is in milliseconds of performance.now(): times counted from it hold what a late start hides.
 */
export async function steadily(
  { perSecond, count }: Pace,
  one: (at: number, dueAt: number) => Promise<void>,
): Promise<void> {
  const started = performance.now()
  const all: Promise<void>[] = []
  for (let at = 0; at < count; at++) {
    const dueAt = started + (at * 1000) / perSecond
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs))
    all.push(one(at, dueAt))
  }
  await Promise.all(all)
}

/** The smallest value that this share of all values does not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** Milliseconds in words. */
export function describeTimes(values: number[]): string {
  const [half, most] = [0.5, 0.99].map((share) => percentile(values, share).toFixed(1).padStart(5))
  return `p50 ${half} ms, p99 ${most} ms`
}

export interface PaceFigures {
  p50: number
  p99: number
  /** Requests without an answer: the machine or the hop does not carry the rate, and the times tell nothing. */
  failed: number
}

/** Times of answers of one address, from their due time, measured by a process of its own. */
export function measurePace(url: string, perSecond: number, seconds: number): PaceFigures {
  const output = execFileSync(process.execPath, [import.meta.filename, url, String(perSecond), String(seconds)])
  // Written below.
  return JSON.parse(output.toString()) as PaceFigures
}

if (import.meta.main) {
  const [url = '', perSecond, seconds] = process.argv.slice(2)
  process.stdout.write(JSON.stringify(await figuresOf(url, Number(perSecond), Number(seconds))))
}

async function figuresOf(address: string, perSecond: number, seconds: number): Promise<PaceFigures> {
  const url = new URL(address)
  const text = `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`
  const connections = openConnections(Number(url.port), url.hostname, text)
  const times: number[] = []
  let failed = 0
  const ask = async (_at: number, dueAt: number): Promise<void> => {
    if (await connections.ask()) times.push(performance.now() - dueAt)
    else failed++
  }
  await steadily({ perSecond, count: perSecond }, ask)
  times.length = 0
  failed = 0
  await steadily({ perSecond, count: perSecond * seconds }, ask)
  connections.close()
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), failed }
}

/**
 * Sends the same request over kept connections, one at a time over each, and counts the bytes of answers that tell
 * their length. A client of node:http takes as much of a core as the hop that it measures, and then measures the wait
 * for that core.
 */
function openConnections(port: number, host: string, text: string) {
  const idle: Connection[] = []
  const open = (): Connection => {
    const socket = connect({ port, host, noDelay: true })
    const connection: Connection = { socket, done: undefined, head: '', isLast: false, left: 0 }
    const settle = (isWhole: boolean) => {
      const { done } = connection
      connection.done = undefined
      done?.(isWhole)
    }
    socket.on('data', (chunk: Buffer) => {
      if (!readPart(connection, chunk)) return
      if (connection.isLast) socket.destroy()
      else idle.push(connection)
      settle(true)
    })
    // Its close follows.
    socket.on('error', () => {})
    socket.on('close', () => {
      const at = idle.indexOf(connection)
      if (at >= 0) idle.splice(at, 1)
      settle(false)
    })
    return connection
  }
  return {
    /** Resolves to whether an answer of 200 came whole. */
    ask: () =>
      new Promise<boolean>((done) => {
        const connection = idle.pop() ?? open()
        connection.done = done
        connection.socket.write(text)
      }),
    close() {
      for (const { socket } of idle.splice(0)) socket.destroy()
    },
  }
}

interface Connection {
  socket: Socket
  done: ((isWhole: boolean) => void) | undefined
  /** What came of the head until it is whole. */
  head: string
  /** The server closes it after this answer. */
  isLast: boolean
  /** Bytes of the answer that are still to come, once its head is there. */
  left: number
}

/** Whether the answer is whole now. Ends the connection for one that is not 200 or does not tell its length. */
function readPart(connection: Connection, chunk: Buffer): boolean {
  if (connection.left > 0) connection.left -= chunk.length
  else {
    connection.head += chunk.toString('latin1')
    const end = connection.head.indexOf('\r\n\r\n')
    if (end < 0) return false
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(connection.head)?.[1]
    if (length === undefined || !connection.head.startsWith('HTTP/1.1 200 ')) {
      connection.socket.destroy()
      return false
    }
    connection.isLast = /\r\nconnection: close\r\n/i.test(connection.head)
    connection.left = end + 4 + Number(length) - connection.head.length
    connection.head = ''
  }
  return connection.left === 0
}
