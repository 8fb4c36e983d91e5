// A free port for a process that will start and cannot report its own port.

import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections (from 32768 on Linux), which would take some of these. */
const FIRST = 20_000
const COUNT = 12_000
/** Number of ports that are tried. */
const MOST_ATTEMPTS = 200

/**
 * A TCP port of `host` that was free just now, and that no other process of this machine gets by this function while this one
 * runs: between this call and the start of the process that listens there, several seconds pass. Rejects when no port is free.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if ((await reserve(port)) && (await isFree(port, host))) return port
  }
  throw new Error(`no free port on ${host} between ${FIRST} and ${FIRST + COUNT - 1}`)
}

/**
 * Reserves the port for the life of this process by a UDP socket, which the system removes with the process: not of the same
 * number, because who listens there may want HTTP/3, too. False: another process, or an earlier call, has it.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => {
      socket.close()
      resolve(false)
    })
    socket.bind({ port: port - COUNT, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref()
      resolve(true)
    })
  })
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
