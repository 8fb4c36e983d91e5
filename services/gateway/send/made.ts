// The responses that the gateway makes itself: redirects of rules and of middleware, the same as page data (W2, X2), and the
// response that middleware made (X15).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { CACHE_NONE } from '@portico/shared/wire/caching.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import type { MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import type { HeadWriter } from './head.ts'

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

export function createMadeResponses({ head, buildId }: { head: HeadWriter; buildId: string }) {
  return {
    redirect(
      request: IncomingMessage,
      response: ServerResponse,
      { status, location, isForThisClient = false }: { status: number; location: string; isForThisClient?: boolean },
    ): void {
      head.write(request, response, {
        status,
        headers: ['location', location, 'content-length', '0'],
        has: (name) => name === 'location' || name === 'content-length',
        caching: isForThisClient ? { by: 'response', text: CACHE_NONE } : { by: 'if-compared' },
      })
      response.end()
    },
    redirectData(
      request: IncomingMessage,
      response: ServerResponse,
      { body, own = [] }: { body: string; own?: readonly string[] },
    ): void {
      const type = ['content-type', 'application/json; charset=utf-8']
      const headers = [...type, 'content-length', String(Buffer.byteLength(body)), ...own, HEADERS.build, buildId]
      // A rule for the page may allow a cache to store its redirects; a 200 without Cache-Control could be stored, too.
      const caching = { by: 'unless-said', text: CACHE_NONE } as const
      head.write(request, response, { status: 200, headers, has: isType, caching })
      response.end(request.method === 'HEAD' ? undefined : body)
    },
    /** What middleware responded; its headers are those of the verdict. */
    ofMiddleware(
      request: IncomingMessage,
      response: ServerResponse,
      { status, body, responseHeaders }: Extract<MiddlewareVerdict, { kind: 'response' }>,
    ): void {
      const bytes = Buffer.from(body, 'base64')
      // RFC 9110 section 15: these have no content.
      const isEmpty = status === 204 || status === 205 || status === 304
      const headers = isEmpty ? [] : ['content-length', String(bytes.length)]
      const type = responseHeaders.find(([name]) => isType(name))
      if (type && !isEmpty) headers.push(...type)
      head.write(request, response, { status, headers, has: isType, caching: { by: 'unless-said', text: CACHE_NONE } })
      response.end(isEmpty || request.method === 'HEAD' ? undefined : bytes)
    },
  }
}

const isType = (name: string) => name === 'content-type'
