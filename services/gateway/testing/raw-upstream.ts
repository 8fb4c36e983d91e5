// For tests: an upstream on node:net that reads requests strictly, records their bytes and responds to each with its own
// target, so that a test sees both what was sent and whose response a client received.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { parseStrictRequest, type StrictRequest } from './strict-request.ts'

export interface RawUpstream {
  url: URL
  /** In order of arrival; probes are left out. */
  requests: StrictRequest[]
  /** Bytes that were no well-formed request, each with the reason. */
  faults: string[]
  /** Milliseconds before the response; may be changed at any time. */
  delayOf: (request: StrictRequest) => number
  stop(): Promise<void>
}

export async function startRawUpstream(): Promise<RawUpstream> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => {})
    serve(socket, upstream)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo
  const upstream: RawUpstream = {
    url: new URL(`http://127.0.0.1:${port}`),
    requests: [],
    faults: [],
    delayOf: () => 0,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
  return upstream
}

/** Responds in order, as a server that keeps its connections does. */
function serve(socket: Socket, upstream: RawUpstream): void {
  let bytes = ''
  let responded = Promise.resolve()
  socket.on('data', (chunk) => {
    bytes += chunk.toString('latin1')
    while (bytes !== '') {
      const result = parseStrictRequest(bytes)
      if (result.kind === 'unfinished') return
      if (result.kind === 'malformed') {
        upstream.faults.push(`${result.reason} in ${JSON.stringify(bytes.slice(0, 500))}`)
        bytes = ''
        return void socket.destroy()
      }
      const { request, rest } = result
      bytes = rest
      const isProbe = request.target === '/readyz'
      if (!isProbe) upstream.requests.push(request)
      // The gateway does not pipeline: bytes that directly follow a request were not sent as a separate request.
      if (rest !== '') upstream.faults.push(`bytes behind ${request.target}: ${JSON.stringify(rest.slice(0, 500))}`)
      const delayMs = isProbe ? 0 : upstream.delayOf(request)
      responded = responded.then(() => respond(socket, request, delayMs))
    }
  })
}

async function respond(socket: Socket, { method, target }: StrictRequest, delayMs: number): Promise<void> {
  if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs))
  const body = `response to ${target}`
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n`
  if (!socket.destroyed) socket.write(method === 'HEAD' ? head : head + body, 'latin1')
}
