// Calls the site's middleware (X15): makes its request, and checks what it returns. The renderer reads the response, the
// cookies of the request's context, and what is thrown.

import type {
  MiddlewareInput,
  Middleware as RunMiddleware,
} from '@portico/shared/wire/middleware/middleware-function.ts'
import { REWRITE_HEADER } from '@portico/shared/wire/middleware/step-headers.ts'

/** Calls the function of the module. */
export type CallMiddleware = (run: (...args: unknown[]) => unknown, input: MiddlewareInput) => unknown

/** The middleware of a site; `load` imports the function that its module exports. */
export function createMiddleware(load: () => Promise<unknown>, call: CallMiddleware = callWithRequest): RunMiddleware {
  const loadFunction = async () => {
    const run = await load()
    if (typeof run !== 'function') throw new TypeError('middleware must export a function')
    return run
  }
  const runMiddleware = async (input: MiddlewareInput) => {
    const run = await loadFunction()
    // The cast: JavaScript knows no more of a function.
    const result = await call(run as (...args: unknown[]) => unknown, input)
    if (result === null || result === undefined) return undefined
    if (!(result instanceof Response))
      throw new TypeError('middleware must return a Response, next(), rewrite() or nothing')
    return belowBasePath(result, input)
  }
  return Object.assign(runMiddleware, { load: loadFunction })
}

/** Middleware of Portico receives a web Request. */
const callWithRequest: CallMiddleware = (run, { url, method, headers, signal }) =>
  run(withoutBody(new Request(url, { method, headers, signal })))

/** A path that `rewrite()` names is below basePath. */
function belowBasePath(response: Response, { url, basePath }: MiddlewareInput): Response {
  const target = response.headers.get(REWRITE_HEADER)
  if (!target?.startsWith('/')) return response
  const changed = new Response(response.body, response)
  // SECURITY: behind the origin no text of the path can name another host.
  changed.headers.set(REWRITE_HEADER, new URL(new URL(url).origin + basePath + target).href)
  return changed
}

const BODY_READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const

/** A request whose body arrives elsewhere: reading it is an error that says so. */
export function withoutBody<T extends Request>(request: T): T {
  if (request.method === 'GET' || request.method === 'HEAD') return request
  for (const name of BODY_READERS) {
    const rule = `request.${name}() in middleware: middleware receives no body; read it in the page, action or API handler`
    Object.defineProperty(request, name, { value: () => Promise.reject(new Error(rule)) })
  }
  return request
}
