// For tests: a TCP client that sends any bytes from a chosen address.

import { connect, type Socket } from 'node:net'

export interface RawClient {
  socket: Socket
  received(): string
  /** The statuses of all responses so far. */
  statuses(): string[]
  isClosed(): boolean
}

/** Connects and sends the text. */
export function openClient(port: number, text: string, localAddress = '127.0.0.1'): RawClient {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  // Kept until the connection is there, in front of what the caller writes.
  socket.write(text)
  let received = ''
  let isClosed = false
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.on('close', () => {
    isClosed = true
  })
  return {
    socket,
    received: () => received,
    statuses: () => received.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [],
    isClosed: () => isClosed,
  }
}

/** The head of a POST, and the part of its body that follows immediately. */
export const postOf = (path: string, framing: number | 'chunked', body = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${framing === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${framing}`}\r\n\r\n${body}`
