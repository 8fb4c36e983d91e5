// Outcomes that several kinds of page have: page data as one JSON or as lines (W2), the page data of Next.js (X2), and redirects,
// with their location in documents and in page data.

import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import type { ByteSink } from '@portico/shared/wire/bundles.ts'
import { PAGE_DATA_LIMIT } from '@portico/shared/wire/constants.ts'
import { createSinkWriter } from '@portico/shared/wire/deferred/sink-writer.ts'
import type { RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { nextPropsBody, redirectBody } from '@portico/shared/wire/next/next-data.ts'
import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { isPublicFile } from '@portico/shared/wire/routing/public-key.ts'
import { type DataPath, locationOnSite, type SiteAddresses } from '@portico/shared/wire/routing/urls.ts'
import type { CachedPage } from '../cache/cache.ts'
import { entryOf, type RenderDeps } from '../context/context.ts'
import { type AuthorHeaders, encodeLocation, type Outcome, type PageRequest } from '../outcome/outcome.ts'
import { allLines, type DeferredValues, formatPage } from './deferred-props.ts'

/** The result of the data function, and what it may still add to the response. */
export interface PageProps {
  props: Record<string, unknown>
  /** Present if the props have promises. */
  deferred: DeferredValues | undefined
  author: (options?: AuthorOptions) => AuthorHeaders
  /** Called before the head of a streamed response is sent: page code can add nothing to it. */
  onHead: () => void
}

interface AuthorOptions {
  /** No cache may keep this response, whatever page code and rules say. */
  isPrivate: boolean
}

/** Page data: JSON, or lines where props have promises (W2). */
export async function pageDataOutcome(
  { entry, params }: { entry: PageEntry; params: RouteParams },
  request: PageRequest,
  { props, deferred, status, author, onHead }: PageProps & { status: number },
): Promise<Outcome> {
  const route = entry.pattern
  if (request.as === 'next-data') {
    if (deferred) throw new Error(promisesFault(route))
    const body = nextPropsBody(JSON.stringify(props), entry.data)
    refuseHuge(body, route)
    return { kind: 'whole', route, status, type: 'json', body, author: author() }
  }
  const json = deferred?.json ?? JSON.stringify(props)
  if (deferred && !request.whole) {
    const first = formatPage({ route, params }, json)
    const pipe = async (sink: ByteSink) => {
      onHead()
      const writer = createSinkWriter(sink)
      void writer.write(`${first}\n`)
      await deferred.follow((line) => void writer.write(`${line}\n`))
      await writer.write('')
    }
    // A cache could keep a response that ends too early.
    return { kind: 'stream', route, status: 200, type: 'jsonl', pipe, author: author({ isPrivate: true }) }
  }
  const body = formatPage({ route, params }, json, deferred && (await allLines(deferred)))
  refuseHuge(body, route)
  return { kind: 'whole', route, status: 200, type: 'json', body, author: author() }
}

/** The page data of Next.js of a page that is the same for all clients, from that of W2. */
export function nextDataOf({ data }: CachedPage, { pattern, data: kind }: PageEntry): { body: Buffer; etag: string } {
  // static-page.ts wrote this JSON.
  const { props, deferred } = JSON.parse(data.toString('utf8')) as Extract<PageData, { kind: 'page' }>
  if (deferred) throw new Error(promisesFault(pattern))
  const body = Buffer.from(nextPropsBody(JSON.stringify(props), kind))
  return { body, etag: entityTag(body) }
}

function promisesFault(route: string): string {
  return `${route}: the props have promises, which page data at /_next/data cannot have; return their values`
}

/** Throws an error for a response that is too large. */
export function refuseHuge(body: string, route: string): void {
  if (body.length > PAGE_DATA_LIMIT)
    throw new Error(`${route}: the response has ${body.length} characters; the limit is ${PAGE_DATA_LIMIT}`)
}

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
