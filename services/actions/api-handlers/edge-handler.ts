// Handlers of the edge runtime of Next.js (X7): called with a web Request, they return the Response. They run on Node.

import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ReadableStream } from 'node:stream/web'
import { pairsOf } from '@portico/shared/kit/http/site-code/web-headers.ts'
import type { ApiModule, RequestContext } from '@portico/shared/wire/bundles.ts'
import { NEXT_HEADER, REWRITE_HEADER } from '@portico/shared/wire/middleware/step-headers.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import type { Site } from '../site/site.ts'
import type { ApiRequest, ApiResponse } from './handler-arguments.ts'

interface EdgeCall {
  request: ApiRequest
  response: ApiResponse
  params: RouteParams
  context: RequestContext
  site: Pick<Site, 'EdgeRequest' | 'basePath'>
}

/** Resolves when the response was sent. */
export async function runEdgeHandler(run: ApiModule['default'], call: EdgeCall): Promise<void> {
  const { response, context } = call
  const waitUntil = (work: Promise<unknown>) => {
    // The work may fail before the response has ended; `after` waits for the work only then, and reports the failure.
    work.catch(() => {})
    context.after?.(context.name, () => work)
  }
  const result = await run(createWebRequest(call), { waitUntil })
  if (!(result instanceof Response)) throw new Error('an API handler with runtime "edge" must return a Response')
  if (result.headers.has(NEXT_HEADER) || result.headers.has(REWRITE_HEADER))
    throw new Error('NextResponse.next() and rewrite() are for middleware; an API handler must return its own response')
  await sendWebResponse(result, response, context.signal)
}

function createWebRequest({ request, params, context, site }: EdgeCall): Request {
  const { method = 'GET' } = request
  const url = new URL(context.origin + context.url)
  // As in Next.js, dynamic parameters are in the query of the URL.
  for (const [name, value] of Object.entries(params)) {
    url.searchParams.delete(name)
    for (const each of [value ?? []].flat()) url.searchParams.append(name, each)
  }
  const headers = new Headers(context.headers)
  const { signal } = context
  const hasBody = method !== 'GET' && method !== 'HEAD'
  // Reads at the handler's first read: Node discards a body that no code has begun to read, and the connection is free.
  const content = ReadableStream.from(request)
  // Node's own type of the stream is not that of fetch.
  const body = hasBody ? { body: content as RequestInit['body'] & object, duplex: 'half' as const } : {}
  const init = { method, headers, signal, ...body }
  return new site.EdgeRequest(url, { ...init, nextConfig: { basePath: site.basePath } })
}

async function sendWebResponse(result: Response, response: ApiResponse, signal: AbortSignal): Promise<void> {
  const { status, headers } = result
  // The global type of the stream is not Node's own.
  const body =
    response.req.method === 'HEAD' || !result.body ? undefined : Readable.fromWeb(result.body as ReadableStream)
  if (body && !(await hasBegun(body, signal))) return
  response.statusCode = status
  for (const [name, value] of pairsOf(headers))
    if (name === 'set-cookie') response.appendHeader(name, value)
    else response.setHeader(name, value)
  if (body) return pipeline(body, response)
  await result.body?.cancel()
  response.end()
}

/** Waits for the first bytes: a body that fails before them is an error response. False: no client waits any more. */
async function hasBegun(body: Readable, signal: AbortSignal): Promise<boolean> {
  try {
    await once(body, 'readable', { signal })
    return true
  } catch (error) {
    body.destroy()
    if (signal.aborted) return false
    throw error
  }
}
