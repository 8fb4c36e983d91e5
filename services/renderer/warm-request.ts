// The request that nobody made: pages for all visitors are rendered for it when the cache is filled.

import { createRequestId } from '../shared/node/request-id.ts'
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
