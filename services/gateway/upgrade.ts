// Upgraded connections: the development socket, and nothing else. Otherwise nobody listens for upgrades.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { prefixOf, splitTarget } from '../shared/wire/urls.ts'
import type { ServiceProxy } from './proxy/proxy.ts'

/** Prepares the listener of upgrade requests under development. */
export function createUpgrader({ proxy, basePath }: { proxy: ServiceProxy; basePath: string }) {
  const dev = `${prefixOf(basePath)}/dev`
  return function passUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const { pathname } = splitTarget(request.url ?? '/')
    if (pathname === dev || pathname.startsWith(`${dev}/`)) return proxy.upgrade(request, socket, head, 'renderer')
    // SECURITY: a connection that was upgraded by an upstream alone would carry anything past the checks (h2c smuggling).
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  }
}
