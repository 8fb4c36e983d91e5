// Another host, to which rewrites of the configuration `other-hosts` lead. Rewrites name its port, so it is fixed; the
// project of the browser has one of its own, because both projects run at the same time. It sends back what is posted.

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'

/** As in `../sites/other-hosts/next.config.js`. */
export const PORTS = { http: 21961, browser: 21962 }

/** Runs the other host for one behaviour. `seen` has its requests. */
export async function withOtherHost(
  port: number,
  run: (seen: readonly Pick<IncomingMessage, 'url' | 'headers'>[]) => Promise<void>,
): Promise<void> {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    response.setHeader('content-type', 'text/html')
    if (request.method === 'POST') request.pipe(response)
    else response.end('<h1>Another host</h1>')
  })
  server.on('upgrade', (request, socket) => {
    seen.push(request)
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  await listen(server, port)
  try {
    await run(seen)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Another run of the same project on this machine may have the port for a moment. */
async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    server.listen(port, '127.0.0.1')
    const error = await Promise.race([once(server, 'listening').then(() => undefined), once(server, 'error')]).catch(
      (reason: unknown) => reason,
    )
    if (!error) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`port ${port} is in use`)
}
