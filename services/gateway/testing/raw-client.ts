// For tests: a client on node:net that writes bytes and parses responses, so that its requests may be malformed and its
// responses are not repaired.

import { connect, type Socket } from 'node:net'

interface RawResponse {
  status: number
  head: string
  body: string
}

export interface RawClient {
  write(text: string): void
  /** The next response; undefined when the connection was closed before one began. */
  read(method: string): Promise<RawResponse | undefined>
  /** Bytes that no response has claimed so far. */
  unread(): string
  /** Resolves when the gateway has closed, with the bytes that no response claimed. */
  closed(): Promise<string>
  destroy(): void
}

/** A response that takes longer than this is a failure of the test. */
const PATIENCE_MS = 8000

export function connectRaw(port: number): RawClient {
  const socket: Socket = connect(port, '127.0.0.1')
  let bytes = ''
  let isClosed = false
  let notify = () => {}
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    bytes += chunk.toString('latin1')
    notify()
  })
  socket.once('close', () => {
    isClosed = true
    notify()
  })
  const changed = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no more bytes; so far ${JSON.stringify(bytes)}`)), PATIENCE_MS)
      notify = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  return {
    write: (text) => void socket.write(text, 'latin1'),
    async read(method) {
      for (;;) {
        const parsed = parseResponse(bytes, method, isClosed)
        if (parsed) {
          bytes = parsed.rest
          // An interim response is not the response; 101 is the last one.
          const { status } = parsed.response
          if (status >= 200 || status === 101) return parsed.response
        } else if (isClosed) return undefined
        else await changed()
      }
    },
    unread: () => bytes,
    async closed() {
      while (!isClosed) await changed()
      return bytes
    },
    destroy: () => void socket.destroy(),
  }
}

function parseResponse(bytes: string, method: string, isClosed: boolean) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.slice(0, end)
  const after = bytes.slice(end + 4)
  const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(head)?.[1])
  const done = (length: number) => ({
    response: { status, head, body: after.slice(0, length) },
    rest: after.slice(length),
  })
  if (method === 'HEAD' || status === 204 || status === 304 || status < 200) return done(0)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return after.length < Number(length) ? undefined : done(Number(length))
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    const last = `\r\n${after}`.indexOf('\r\n0\r\n\r\n')
    return last < 0 ? undefined : done(last + 5)
  }
  return isClosed ? done(after.length) : undefined
}
