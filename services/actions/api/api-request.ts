// The request of an API handler: Node's request with `query`, `cookies`, `body` and draft mode of the Pages Router.

import type { IncomingMessage } from 'node:http'
import { asClientRequest } from '@portico/shared/kit/http/site-code/client-request.ts'
import type { PreviewData } from '@portico/shared/wire/cookies/draft-mode.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { parseQuery } from '@portico/shared/wire/routing/urls.ts'
import type { Cookies, RequestFacts } from '../request/request-facts.ts'

export type ApiRequest = IncomingMessage & { query: RouteParams; cookies: Cookies; body: unknown } & DraftMembers

/** Draft mode with the names of Next.js: `previewData` is false where it is off. */
interface DraftMembers {
  draftMode: true | undefined
  preview: true | undefined
  previewData: PreviewData | false
}

interface ApiRequestParts extends Pick<RequestFacts, 'search' | 'cookies' | 'draft' | 'address' | 'isSecure'> {
  params: RouteParams
  body: unknown
}

/** Adds the members, and the client's end to `socket`. Dynamic params win over query parameters of the same name. */
export function createApiRequest(request: IncomingMessage, parts: ApiRequestParts): ApiRequest {
  const { search, params, cookies, draft, body } = parts
  const query = Object.assign(parseQuery(search), params)
  const isOn = draft.kind === 'on' || undefined
  const drafted: DraftMembers = { draftMode: isOn, preview: isOn, previewData: draft.kind === 'on' && draft.data }
  return asClientRequest(request, { query, cookies, body, ...drafted }, parts)
}
