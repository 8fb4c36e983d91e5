// The request of an API handler: Node's request with `query`, `cookies` and `body` of the Pages Router.

import type { IncomingMessage } from 'node:http'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import type { Cookies } from '../request/request-facts.ts'

export type ApiQuery = Record<string, string | string[]>

export type ApiRequest = IncomingMessage & { query: ApiQuery; cookies: Cookies; body: unknown }

/** Adds the three members. Dynamic params win over query parameters of the same name. */
export function createApiRequest(
  request: IncomingMessage,
  parts: { search: string; params: RouteParams; cookies: Cookies; body: unknown },
): ApiRequest {
  const query = Object.create(null) as ApiQuery
  for (const [name, value] of new URLSearchParams(parts.search)) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (Array.isArray(before)) before.push(value)
    else query[name] = [before, value]
  }
  for (const [name, value] of Object.entries(parts.params)) query[name] = value
  const members = { query, cookies: parts.cookies, body: parts.body }
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(request, name, { value, writable: true, configurable: true, enumerable: true })
  // The loop above has defined the three members.
  return request as ApiRequest
}
