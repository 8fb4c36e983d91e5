// Counts the runs of actions outside of the cluster, as a database of another host would: it survives every node.

import { createServer } from 'node:http'

export interface Ledger {
  url: string
  /** How often the action has run, by the name of the submission. */
  runs: ReadonlyMap<string, number>
  close(): Promise<void>
}

/** Listens at an address of this machine that nodes reach. */
export async function openLedger(address: string): Promise<Ledger> {
  const runs = new Map<string, number>()
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    runs.set(name, (runs.get(name) ?? 0) + 1)
    request.resume().on('end', () => response.end())
  })
  await new Promise<void>((done) => server.listen(0, address, done))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as { port: number }
  return {
    url: `http://${address}:${port}`,
    runs,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
