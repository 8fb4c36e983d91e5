// The outcome of a redirect, and its location in documents and in page data.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { redirectBody } from '@portico/shared/wire/next/next-data.ts'
import { isPublicFile } from '@portico/shared/wire/routing/public-key.ts'
import { type DataPath, locationOnSite, type SiteAddresses } from '@portico/shared/wire/routing/urls.ts'
import type { AuthorHeaders, Outcome, PageRequest } from '../render/outcome.ts'
import { entryOf, type RenderDeps } from '../render/render-deps.ts'
import { encodeLocation } from '../resolve/locations.ts'

type RedirectTarget = { location: string; status: RedirectStatus }

export function redirectOutcome(
  deps: RenderDeps,
  route: string,
  target: RedirectTarget,
  request: PageRequest,
  author: AuthorHeaders,
): Outcome {
  const { status } = target
  if (request.as === 'html') return { kind: 'redirect', route, location: locationOf(deps, target), status, author }
  return {
    kind: 'whole',
    route,
    status: 200,
    type: 'json',
    body: redirectData(deps, route, target, request.as),
    author,
  }
}

/** The address to which a document redirects; not yet encoded for the header. */
export function locationOf({ manifest }: RenderDeps, { location }: RedirectTarget): string {
  return locationOnSite(addressesOf(manifest), location)
}

/** The page data of a redirect (W2, X2). */
export function redirectData(deps: RenderDeps, route: string, target: RedirectTarget, as: DataPath['as']): string {
  const location = locationInBrowser(deps, target)
  return redirectBody(as, { location, status: target.status }, entryOf(deps.manifest, route)?.data)
}

/** The address to which the browser's router redirects; it adds basePath and slash itself. */
export function locationInBrowser({ manifest }: RenderDeps, { location }: Pick<RedirectTarget, 'location'>): string {
  return encodeLocation(locationOnSite({ ...addressesOf(manifest), basePath: '', trailingSlash: false }, location))
}

function addressesOf({ basePath, trailingSlash, publicFiles }: Manifest): SiteAddresses {
  return { basePath, trailingSlash, isPublicFile: (path) => isPublicFile(publicFiles, path) }
}
