// A plain TCP balancer in front of several gateways, like a load balancer of a cloud: new connections are given in turn
// to those that report ready; a connection keeps its gateway, and the end of one side ends the other.

import { connect, createServer, type Socket } from 'node:net'
import type { Member } from './fleet.ts'

const PROBE_INTERVAL_MS = 250

export interface Balancer {
  baseUrl: string
  port: number
  close(): void
}

/** Listens on a free port. `members` is called at each probe. */
export async function startBalancer(members: () => Member[]): Promise<Balancer> {
  let ready: Member[] = []
  let turn = 0
  const sockets = new Set<Socket>()
  const probe = async () => {
    const probed = members()
    const isReadyOf = await Promise.all(probed.map(isReady))
    const found = probed.filter((_, at) => isReadyOf[at])
    // No ready gateway means a late probe on a busy machine: the ones known before are still the best guess.
    if (found.length > 0) ready = found
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const member = ready[turn++ % Math.max(1, ready.length)]
    if (!member) return void client.destroy()
    const upstream = connect({ host: member.address, port: member.port, allowHalfOpen: true, noDelay: true })
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.resetAndDestroy())
      from.on('close', () => sockets.delete(from))
    }
  })
  await probe()
  const timer = setInterval(() => void probe(), PROBE_INTERVAL_MS)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as { port: number }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    close() {
      clearInterval(timer)
      server.close()
      for (const socket of sockets) socket.destroy()
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
