// The request for warming the cache: pages for all clients are rendered for it without a client.

import { createRequestId } from '@portico/shared/kit/http/request-id.ts'
import type { PageRequest } from './outcome.ts'

export function warmRequest(): PageRequest {
  return {
    url: '/',
    pathname: '/',
    search: '',
    method: 'GET',
    headers: {},
    cookies: {},
    origin: 'http://localhost',
    requestId: createRequestId(),
    signal: new AbortController().signal,
    as: 'html',
    whole: true,
  }
}
