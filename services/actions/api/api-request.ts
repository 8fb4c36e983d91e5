// The request of an API handler: Node's request with `query`, `cookies` and `body` of the Pages Router.

import type { IncomingMessage } from 'node:http'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { parseQuery } from '@portico/shared/wire/routing/urls.ts'
import type { Cookies } from '../request/request-facts.ts'

export type ApiRequest = IncomingMessage & { query: RouteParams; cookies: Cookies; body: unknown }

/** Adds the three members. Dynamic params win over query parameters of the same name. */
export function createApiRequest(
  request: IncomingMessage,
  parts: { search: string; params: RouteParams; cookies: Cookies; body: unknown },
): ApiRequest {
  const query = Object.assign(parseQuery(parts.search), parts.params)
  const members = { query, cookies: parts.cookies, body: parts.body }
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(request, name, { value, writable: true, configurable: true, enumerable: true })
  // The loop above has defined the three members.
  return request as ApiRequest
}
