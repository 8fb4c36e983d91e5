// The words for `uncached` in an explanation and in the account of a request.

import type { CacheBypass } from '../cache/page-key.ts'

/** Why no entry of the page cache can serve a request, in words. */
export const BYPASS_TEXTS: Readonly<Record<CacheBypass, string>> = {
  method: 'only GET and HEAD are served from memory',
  'no-page': 'the address belongs to no page of this build',
  'per-request': 'the page has a data function that runs for each request',
  'no-data': 'the page has no data function, and the request is for its data',
  draft: 'the request has the cookie of the draft mode',
  'no-renderer': 'no renderer of the build is ready',
  'not-kept': 'the renderer gave no entry: the page streams, is too large, or is shown without data first',
}
