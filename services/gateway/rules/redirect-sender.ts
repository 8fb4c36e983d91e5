// Sends redirects of rules and of middleware: a response with Location, or for the address of a page's data the redirect
// as page data (W2, X2).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { CACHE_NONE, HEADERS } from '@portico/shared/wire/constants.ts'
import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { GatewayHeaders } from './gateway-headers.ts'

/**
 * The location for the browser's router, of one with basePath: below basePath, which the router adds, or with the origin.
 */
export function locationInBrowser(
  request: IncomingMessage,
  location: string,
  { basePath, forwarded }: { basePath: string; forwarded: (request: IncomingMessage) => ForwardedFacts },
): string {
  if (!location.startsWith('/')) return location
  const [path = ''] = location.split(/[?#]/, 1)
  const below = stripBasePath(path, basePath)
  // SECURITY: a browser takes a path with two slashes for another host.
  if (below !== undefined) return below.replace(/^[/\\]+/, '/') + location.slice(path.length)
  const { proto, host } = forwarded(request)
  return `${proto}://${host}${location}`
}

export type RedirectSender = ReturnType<typeof createRedirectSender>

export function createRedirectSender({ gatewayHeaders, buildId }: { gatewayHeaders: GatewayHeaders; buildId: string }) {
  return {
    send(
      request: IncomingMessage,
      response: ServerResponse,
      status: number,
      location: string,
      cacheControl?: string,
    ): void {
      const headers = ['location', location, 'content-length', '0']
      if (cacheControl !== undefined) headers.push('cache-control', cacheControl)
      // SECURITY: caches store 301 and 308 without Cache-Control: one client's redirect must not reach another.
      const { comparesClient } = exchangeOf(request)
      const isRuled = gatewayHeaders.addTo(headers, (name) => headers.includes(name), request)
      if (comparesClient && !isRuled && cacheControl === undefined) headers.push('cache-control', CACHE_NONE)
      gatewayHeaders.cdn?.ofOther(headers, exchangeOf(request), { status })
      response.writeHead(status, headers)
      response.end()
    },
    /** `own` is a flat list of headers in addition. */
    sendData(request: IncomingMessage, response: ServerResponse, body: string, own: readonly string[] = []): void {
      const headers = [
        'content-type',
        'application/json; charset=utf-8',
        'content-length',
        String(Buffer.byteLength(body)),
        ...own,
      ]
      headers.push(HEADERS.build, buildId)
      // A rule for the page may allow a cache to store its redirects; a 200 without Cache-Control could be stored, too.
      const isRuled = gatewayHeaders.addTo(headers, (name) => name === 'content-type', request)
      if (!isRuled) headers.push('cache-control', CACHE_NONE)
      gatewayHeaders.cdn?.ofOther(headers, exchangeOf(request), { status: 200 })
      response.writeHead(200, headers)
      response.end(request.method === 'HEAD' ? undefined : body)
    },
  }
}
