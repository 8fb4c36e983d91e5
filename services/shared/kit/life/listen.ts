// Listens at an address, and names the port in the error.

import { type AddressInfo, createServer, type Server } from 'node:net'

export interface Address {
  /** Name in logs and in `ports`. */
  name: string
  host: string
  /** 0 lets the system choose. */
  port: number
}

/**
 * Connections that may wait for accept (the system caps it): Node's 511 lose packets when a thousand connect together.
 */
const BACKLOG = 4096

/** Resolves with the port. */
export function listen(
  server: Server,
  { name, host, port }: Address,
  options: { reusePort?: true } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message
      reject(new Error(`cannot listen on ${host}:${port} (${name}): ${reason}`, { cause }))
    })
    // A TCP server that listens has an AddressInfo, never a pipe name.
    server.listen({ port, host, backlog: BACKLOG, ...options }, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Rejects when the port is in use now: an error before a long warm-up is better than one after it. */
export async function checkPort(address: Address): Promise<void> {
  if (address.port === 0) return
  const server = createServer().on('connection', (socket) => socket.destroy())
  await listen(server, address)
  await new Promise((done) => server.close(done))
}
