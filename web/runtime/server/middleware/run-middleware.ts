// Calls the site's middleware (X15): makes its request, and a response of what it returns, throws and sets.

import type { MiddlewareInput, Middleware as RunMiddleware } from '@portico/shared/wire/bundles.ts'
import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import { addressIn } from '../../react/contexts/router-context.ts'
import { currentContextOrNone } from '../request-context.ts'
import { NEXT_HEADER, REWRITE_HEADER } from './step-headers.ts'

/** Calls the function of the module. */
export type CallMiddleware = (run: (...args: unknown[]) => unknown, input: MiddlewareInput) => unknown

/** The middleware of a site; `load` imports the function that its module exports. */
export function createMiddleware(load: () => Promise<unknown>, call: CallMiddleware = callWithRequest): RunMiddleware {
  return async (input) => {
    const run = await load()
    if (typeof run !== 'function') throw new TypeError('middleware must export a function')
    // The cast: JavaScript knows no more of a function.
    const result = await responseOf(() => call(run as (...args: unknown[]) => unknown, input), input)
    if (result !== null && result !== undefined && !(result instanceof Response))
      throw new TypeError('middleware must return a Response, next(), rewrite() or nothing')
    return withCookies(withAddress(result, input))
  }
}

/** Middleware of Portico receives a web Request. */
const callWithRequest: CallMiddleware = (run, { url, method, headers, signal }) =>
  run(withoutBody(new Request(url, { method, headers, signal })))

/** The value of `redirect()` as a response; other control flow is thrown, as errors are. */
async function responseOf(run: () => unknown, input: MiddlewareInput): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    const flow = controlFlowOf(error)
    if (flow?.kind !== 'redirect') throw error
    const { status, location } = flow
    return new Response(null, { status, headers: { location: encoded(addressIn(input, location)) } })
  }
}

/** What is encoded already remains as it is. */
function encoded(location: string): string {
  return encodeURI(location).replace(/%25([0-9A-Fa-f]{2})/g, '%$1')
}

/** A path that `rewrite()` names is below basePath. */
function withAddress(response: Response | null | undefined, { url, basePath }: MiddlewareInput) {
  const target = response?.headers.get(REWRITE_HEADER)
  if (!response || !target?.startsWith('/')) return response
  const changed = new Response(response.body, response)
  changed.headers.set(REWRITE_HEADER, new URL(basePath + target, url).href)
  return changed
}

/** `cookies().set` works whatever the middleware returns. */
function withCookies(response: Response | null | undefined): Response | null | undefined {
  const setCookies = currentContextOrNone()?.setCookies ?? []
  if (setCookies.length === 0) return response
  // The headers of a response of fetch and of Response.redirect cannot be changed.
  const changed = response
    ? new Response(response.body, response)
    : new Response(null, { headers: { [NEXT_HEADER]: '1' } })
  for (const line of setCookies) changed.headers.append('set-cookie', line)
  return changed
}

const BODY_READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const

/** A request whose body arrives elsewhere: reading it is an error that says so. */
export function withoutBody<T extends Request>(request: T): T {
  if (request.method === 'GET' || request.method === 'HEAD') return request
  for (const name of BODY_READERS)
    Object.defineProperty(request, name, {
      value: () =>
        Promise.reject(
          new Error(
            `request.${name}() in middleware: middleware receives no body; read it in the page, action or API handler`,
          ),
        ),
    })
  return request
}
