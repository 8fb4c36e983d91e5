// The rules of a site of Next.js that are not Portico's own. The documentation prints this table.

import type { Semantics } from '@portico/shared/wire/semantics.ts'

interface SemanticRow {
  portico: string
  next: string
}

export const SEMANTIC_ROWS: Readonly<Record<keyof Semantics, SemanticRow>> = {
  dataUrls: {
    portico: 'page data is at `/_portico/data/…` only; `/_next/x` is a path like any other',
    next: 'page data is also at `/_next/data/{buildId}/{path}.json`; no page is below `/_next`, and no redirect applies there',
  },
  failurePath: { portico: '`/500` is 404', next: '`/500` shows the screen of status 500' },
  noEmptyParams: {
    portico: '`params` is an empty object for a page without parameters',
    next: 'the data function of such a page has no `params`',
  },
  resolvedUrlQuery: {
    portico: '`resolvedUrl` has the query after rewrites',
    next: '`resolvedUrl` has the query of the request',
  },
  addedQuery: {
    portico: 'what a rewrite adds to the query is for data functions only',
    next: 'the router’s query has it, too',
  },
  requestUrl: {
    portico: '`req.url` of a data function is the requested one',
    next: '`req.url` has neither basePath nor locale; for page data it is the address of the data',
  },
  emptyShellParams: {
    portico: 'the router of a fallback page has the parameters',
    next: 'it has none until the data has arrived',
  },
  errorRoute: {
    portico: 'the route of the default 404 screen is `/404`',
    next: 'it is `/_error`',
  },
  previewMark: {
    portico: 'a draft has the props of its data function',
    next: '`router.isPreview` is true for a draft, by a mark among the props',
  },
  dataHeader: {
    portico: 'middleware sees no difference between a document and its data',
    next: 'requests for page data have `x-nextjs-data: 1`',
  },
  unknownMethods: {
    portico: 'a POST to a path without a page is 405',
    next: 'it is 404',
  },
  nonCanonicalPosts: {
    portico: 'a POST to a path that is not canonical is 400',
    next: 'it is redirected with 308, as a GET is',
  },
  apiBody: {
    portico:
      'an API handler receives bytes of other types as a Buffer, JSON of all `+json` types as a value, and `undefined` without a body',
    next: 'it receives text, JSON of `application/json` and `application/ld+json` as a value, and `{}` or `""` without a body',
  },
  apiCaching: {
    portico: 'a response of an API handler has `Cache-Control: private, no-store` until the handler sets another',
    next: 'it has none',
  },
  apiOptions: {
    portico: 'OPTIONS is 204 with `Allow`, unless the handler has `crossOrigin`',
    next: 'the handler responds to OPTIONS',
  },
  apiConfig: {
    portico: '`runtime`, `maxDuration` and `regions` are errors of the build; a response has no limit by default',
    next: '`runtime: "edge"` calls the handler with a `Request`, the others have no effect; a response has at most 4 MB by default',
  },
  undecodedImages: {
    portico: 'a source of a type that is not decoded is 415',
    next: 'it is passed through as it is',
  },
  unknownImageParameters: {
    portico: 'an unknown parameter of an image is 400',
    next: 'it has no effect at `/_next/image`',
  },
  guardedLinks: {
    portico: 'a link to an address without a page loads a document',
    next: 'so it does, unless middleware may serve the address',
  },
  buildPhase: { portico: '`NEXT_PHASE` is not set', next: 'code that the build runs has `NEXT_PHASE`' },
  prerenderFaults: {
    portico: 'a page that throws while the build renders it is left to its first request',
    next: 'it ends the build',
  },
  unlistedPaths: {
    portico: 'a page responds to every path that fits its pattern',
    next: 'a path that `getStaticPaths` does not list may be that of a rewrite or of another page',
  },
  lostRedirects: {
    portico: 'the build names a redirect that leads to an address at which the site has nothing',
    next: 'it does not',
  },
}

export const NEXT_SEMANTICS: Semantics = Object.fromEntries(Object.keys(SEMANTIC_ROWS).map((name) => [name, true]))
