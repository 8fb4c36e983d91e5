// A free port for a process that will start and cannot report its own port.

import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections (from 32768 on Linux), which would take some of these. */
const FIRST = 20_000
const COUNT = 12_000
/** Number of ports that are tried. */
const MOST_ATTEMPTS = 200

const given = new Set<number>()

/** A port of `host` that was free just now; never the same port twice in a process. Rejects when no port is free. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (given.has(port) || !(await isFree(port, host))) continue
    given.add(port)
    return port
  }
  throw new Error(`no free port on ${host} between ${FIRST} and ${FIRST + COUNT - 1}`)
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
