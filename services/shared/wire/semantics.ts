// The rules in which a site differs from Portico's own: a build writes them into its manifest, and each is read where the
// rule is applied. No service knows for which framework a site was written.

/**
 * Each member is one rule; absent, Portico's own rule holds. What a compatibility mode sets is one table of the build, which
 * the documentation prints.
 *
 * @example
 * ```ts
 * const { nonCanonicalPosts } = manifest.semantics
 * if (!nonCanonicalPosts && method === 'POST') refuse('non-canonical-path')
 * ```
 */
export interface Semantics {
  /** Page data is also at `/_next/data/{buildId}/{path}.json` (X2); no page is below `/_next`, and no redirect applies there. */
  dataUrls?: boolean
  /** `/500` shows the screen of status 500. */
  failurePath?: boolean
  /** A data function of a page without parameters has no `params`. */
  noEmptyParams?: boolean
  /** `resolvedUrl` has the query of the request, without what a rewrite adds. */
  resolvedUrlQuery?: boolean
  /** The router's query has the values that a rewrite or middleware adds, which the address does not show. */
  addedQuery?: boolean
  /** `req.url` of data functions has neither basePath nor locale; for page data it is the address of the data. */
  requestUrl?: boolean
  /** The router of a fallback page has no parameters until its data has arrived. */
  emptyShellParams?: boolean
  /** The router's route of a default screen for unknown paths is `/_error`. */
  errorRoute?: boolean
  /** The props of a draft have a mark, by which the router says that it is a preview. */
  previewMark?: boolean
  /** Middleware knows requests for page data by the header `x-nextjs-data`. */
  dataHeader?: boolean
  /** A path without a page is 404 for every method but TRACE. */
  unknownMethods?: boolean
  /** A request with a body at a path that is not canonical is redirected. */
  nonCanonicalPosts?: boolean
  /** API handlers receive bodies of unknown types as text, and an empty text or object in place of no body. */
  apiBody?: boolean
  /** API handlers say by themselves what caches may keep. */
  apiCaching?: boolean
  /** API handlers respond to OPTIONS themselves. */
  apiOptions?: boolean
  /** API handlers may name hosts and the edge runtime in `config`, and have a default limit of their responses. */
  apiConfig?: boolean
  /** Images of types that are not decoded are passed through. */
  undecodedImages?: boolean
  /** Unknown parameters of an image at `/_next/image` have no effect. */
  unknownImageParameters?: boolean
  /** A link to an address that middleware may serve, and no page, is a navigation within the document. */
  guardedLinks?: boolean
  /** Code that the build runs has `NEXT_PHASE` in its environment. */
  buildPhase?: boolean
  /** A page that throws while the build renders it ends the build. */
  prerenderFaults?: boolean
  /** A path that a page does not list may be that of a rewrite or of another page. */
  unlistedPaths?: boolean
  /** A redirect may lead to an address at which the site has nothing, without a warning. */
  lostRedirects?: boolean
}
