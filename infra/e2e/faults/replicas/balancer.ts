// Plain TCP balancers in front of several gateways, like load balancers of a cloud: a connection keeps its gateway, and the end
// of one side ends the other.

import { connect, createServer, type Socket } from 'node:net'
import type { Member } from './fleet.ts'

const PROBE_INTERVAL_MS = 250
/** Longer than a busy machine needs for a connection to itself. */
const CONNECT_MS = 10_000

export interface Balancer {
  baseUrl: string
  port: number
  close(): void
}

/** Listens on a free port. `reach` connects to the gateway of a connection; undefined where none accepts one. */
export async function balance(reach: () => Promise<Socket | undefined>): Promise<Balancer> {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, async (client) => {
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
    // Also while the gateway is reached.
    let upstream: Socket | undefined
    client.on('error', () => upstream?.resetAndDestroy())
    upstream = await reach()
    if (!upstream || client.destroyed) {
      upstream?.destroy()
      return void client.destroy()
    }
    sockets.add(upstream)
    upstream.on('close', () => upstream && sockets.delete(upstream))
    upstream.on('error', () => client.resetAndDestroy())
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as { port: number }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Resolves when connected; with undefined where no connection is made in time. */
export function connectTo(host: string, port: number, timeoutMs: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
    const limit = setTimeout(() => socket.destroy(new Error('no connection in time')), timeoutMs)
    socket.once('connect', () => {
      clearTimeout(limit)
      resolve(socket)
    })
    // Stays for the life of the connection: whoever uses it listens, too.
    socket.on('error', () => {
      clearTimeout(limit)
      resolve(undefined)
    })
  })
}

/** Gives connections to the members that report ready, in turn. `members` is called at each probe. */
export async function startBalancer(members: () => Member[]): Promise<Balancer> {
  let ready: Member[] = []
  let turn = 0
  const probe = async () => {
    const probed = members()
    const isReadyOf = await Promise.all(probed.map(isReady))
    const found = probed.filter((_, at) => isReadyOf[at])
    // No ready gateway means a late probe on a busy machine: the ones known before are still the best guess.
    if (found.length > 0) ready = found
  }
  await probe()
  const timer = setInterval(() => void probe(), PROBE_INTERVAL_MS)
  const balancer = await balance(async () => {
    const member = ready[turn++ % Math.max(1, ready.length)]
    return member && connectTo(member.address, member.port, CONNECT_MS)
  })
  return {
    ...balancer,
    close() {
      clearInterval(timer)
      balancer.close()
    },
  }
}

async function isReady({ address, innerPort }: Member): Promise<boolean> {
  const response = await fetch(`http://${address}:${innerPort}/readyz`, { signal: AbortSignal.timeout(1000) }).catch(
    () => undefined,
  )
  await response?.body?.cancel()
  return response?.ok === true
}
