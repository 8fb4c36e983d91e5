// How server code of a site reaches its own stack (D4).

import type { RequestContext } from '../../wire/bundles.ts'
import { isApiPath, splitTarget } from '../../wire/routing/urls.ts'

interface SiteFetchOptions {
  /** The base address of the actions service for the next request, basePath included. */
  actionsUrl: () => string
  /** The base address of the files of the site, basePath included. */
  siteUrl: () => string
}

/** Sends `/api/…` to the actions service and other paths to the files of the site. */
export function createSiteFetch({ actionsUrl, siteUrl }: SiteFetchOptions): RequestContext['fetchSite'] {
  return (path, init) => fetch(new URL((isApiPath(splitTarget(path).pathname) ? actionsUrl() : siteUrl()) + path), init)
}
