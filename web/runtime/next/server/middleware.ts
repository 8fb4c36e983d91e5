// Middleware of Next.js (X15): called with `NextRequest` and `NextFetchEvent`.

import type { Middleware } from '@portico/shared/wire/middleware/middleware-function.ts'
import { createMiddleware, withoutBody } from '../../server/create-middleware.ts'
import { NextFetchEvent, NextRequest } from '../server.ts'

/** `load` imports the function that the module exports. */
export function nextMiddleware(load: () => Promise<unknown>): Middleware {
  return createMiddleware(load, (run, { url, method, headers, signal, basePath, trailingSlash, i18n, waitUntil }) => {
    const nextConfig = { basePath, trailingSlash, i18n }
    const request = withoutBody(new NextRequest(url, { method, headers, signal, nextConfig }))
    return run(request, new NextFetchEvent({ request, page: '/middleware', context: { waitUntil } }))
  })
}
