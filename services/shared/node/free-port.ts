// A port for a process that is about to start and cannot be asked for its own.

import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections (from 32768 on Linux): one of those takes none of these. */
const FIRST = 20_000
const COUNT = 12_000
/** A machine where so many of them are taken has none to give. */
const MOST_ATTEMPTS = 200

const given = new Set<number>()

/** A port of `host` that was free a moment ago; never the same one twice in a process. Rejects when none is found. */
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
