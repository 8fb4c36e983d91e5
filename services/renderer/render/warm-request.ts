// The request for which pages for all clients are rendered: it has no data of a client, and its end does not end the
// render.

import { createRequestId } from '@portico/shared/kit/http/request-id.ts'
import type { PageRequest } from './outcome.ts'

/** `origin` is the site's, for absolute URLs. */
export function warmRequest(origin = 'http://localhost'): PageRequest {
  return {
    url: '/',
    pathname: '/',
    search: '',
    method: 'GET',
    headers: {},
    cookies: {},
    origin,
    requestId: createRequestId(),
    signal: new AbortController().signal,
    as: 'html',
    whole: true,
  }
}
