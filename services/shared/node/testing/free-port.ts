// A port for a process that a test or a benchmark starts and that cannot be asked for its own.

import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections (from 32768 on Linux): one of those takes none of these. */
const FIRST = 20_000
const COUNT = 12_000

const given = new Set<number>()

/** A port of 127.0.0.1 that was free a moment ago; never the same one twice in a process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}
