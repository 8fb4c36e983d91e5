// The development socket. WebSockets of rewrites to other hosts take the way of requests (external/upgraded.ts); offers of
// anything else are ordinary requests in production.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { refuseUpgrade } from '@portico/shared/kit/http/error-response.ts'
import { prefixOf, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { isDoubtful, readFraming } from '../headers/headers.ts'
import type { ServiceProxy } from '../proxy/proxy.ts'

/** Prepares the listener of upgrade requests under development. */
export function createUpgrader({ proxy, basePath }: { proxy: ServiceProxy; basePath: string }) {
  const dev = `${prefixOf(basePath)}/dev`
  return function passUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const { pathname } = splitTarget(request.url ?? '/')
    const isDev = pathname === dev || pathname.startsWith(`${dev}/`)
    // An upgrade has no body: another program than the requested one would read the bytes behind the head.
    const isPlain = !isDoubtful(request) && readFraming(request)?.kind === 'none'
    if (isDev && isPlain) return proxy.upgrade(request, socket, head, 'renderer')
    // SECURITY: on a connection that only an upstream upgraded, requests bypass the checks of the gateway (h2c smuggling).
    refuseUpgrade(socket, 'bad-request')
  }
}
