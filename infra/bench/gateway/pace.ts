// Sends requests at a steady rate, however long the responses take, and computes the response times.
//
//   node infra/bench/gateway/pace.ts <url> <requests a second> <seconds>    prints {"p50":…,"p99":…,"failed":…}, times in milliseconds

import { execFileSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'

interface Pace {
  perSecond: number
  count: number
}

/**
 * Calls `one` with 0, 1, 2 … at its due time; resolves when all are done. A late response delays no other request (open loop).
 * `dueAt` is in milliseconds of performance.now(): times that are counted from `dueAt` contain the delay of a late start.
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

export interface PaceFigures {
  p50: number
  p99: number
  /** Requests without a response: the machine or the hop does not sustain the rate, and the times mean nothing. */
  failed: number
}

/** Response times of one address, from the due time of each request, measured in a separate process. */
export function measurePace(url: string, perSecond: number, seconds: number): PaceFigures {
  const output = execFileSync(process.execPath, [import.meta.filename, url, String(perSecond), String(seconds)])
  // The process below wrote this JSON.
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
  const sendDue = async (_at: number, dueAt: number): Promise<void> => {
    if (await connections.send()) times.push(performance.now() - dueAt)
    else failed++
  }
  await steadily({ perSecond, count: perSecond }, sendDue)
  times.length = 0
  failed = 0
  await steadily({ perSecond, count: perSecond * seconds }, sendDue)
  connections.close()
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), failed }
}

/**
 * Sends the same request over kept connections, one at a time over each, and counts the bytes of responses with a
 * declared length. A client of node:http uses as much of a core as the measured hop, and would measure the wait for
 * that core.
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
    // The close event follows.
    socket.on('error', () => {})
    socket.on('close', () => {
      const at = idle.indexOf(connection)
      if (at >= 0) idle.splice(at, 1)
      settle(false)
    })
    return connection
  }
  return {
    /** Resolves to whether a whole response with 200 arrived. */
    send: () =>
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
  /** The part of the head that has arrived; empty once the head is whole. */
  head: string
  /** The server closes the connection after this response. */
  isLast: boolean
  /** Bytes of the response that have not arrived yet, once its head has arrived. */
  left: number
}

/** Whether the response is whole now. Closes the connection of a response that is not 200 or declares no length. */
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
