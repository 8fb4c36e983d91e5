// The request of an API handler: Node's request with `query`, `cookies` and `body` of the Pages Router.

import type { IncomingMessage } from 'node:http'
import { asClientRequest } from '@portico/shared/kit/http/site-code/client-request.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { parseQuery } from '@portico/shared/wire/routing/urls.ts'
import type { Cookies, RequestFacts } from '../request/request-facts.ts'

export type ApiRequest = IncomingMessage & { query: RouteParams; cookies: Cookies; body: unknown }

interface ApiRequestParts extends Pick<RequestFacts, 'search' | 'cookies' | 'address' | 'isSecure'> {
  params: RouteParams
  body: unknown
}

/** Adds the three members, and the client's end to `socket`. Dynamic params win over query parameters of the same name. */
export function createApiRequest(request: IncomingMessage, parts: ApiRequestParts): ApiRequest {
  const { search, params, cookies, body } = parts
  return asClientRequest(request, { query: Object.assign(parseQuery(search), params), cookies, body }, parts)
}
