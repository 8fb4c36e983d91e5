// The entry of middleware in the server bundle (X15).

import type { Locales } from '../locales/locales.ts'

/** What middleware receives of a request (X15); the bundle makes the request object of it. */
export interface MiddlewareInput {
  method: string
  /** Absolute: the public origin, the path with basePath, the query. For page data the address of the page. */
  url: string
  /** Names in lower case, as the client sent them, without internal headers. */
  headers: Readonly<Record<string, string>>
  /** The build id in the address, for a request for page data. */
  buildId?: string | undefined
  basePath: string
  trailingSlash: boolean
  i18n?: Locales | undefined
  /** Aborts when the client disconnects or the time limit is reached. */
  signal: AbortSignal
  /** Keeps the process until the promise settles, also after the response. */
  waitUntil: (promise: Promise<unknown>) => void
}

/**
 * A response has the headers with which Next.js says what follows: `x-middleware-next`, `x-middleware-rewrite`,
 * `x-middleware-override-headers` with `x-middleware-request-*`, `Location` with a status of redirects; without them it is
 * the response to the client. No response: the request continues.
 */
export type Middleware = ((input: MiddlewareInput) => Promise<Response | null | undefined>) & {
  /** Loads the module; rejects if it exports no function. The first call loads it, too. */
  load?: () => Promise<unknown>
}
