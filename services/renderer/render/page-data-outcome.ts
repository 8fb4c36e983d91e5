// Page data as an outcome: one JSON, or lines (W2); the page data of Next.js (X2).

import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import type { ByteSink } from '@portico/shared/wire/bundles.ts'
import { PAGE_DATA_LIMIT } from '@portico/shared/wire/constants.ts'
import { createSinkWriter } from '@portico/shared/wire/deferred/sink-writer.ts'
import { nextPropsBody } from '@portico/shared/wire/next/next-data.ts'
import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import type { CachedPage } from '../cache/page-cache.ts'
import { allLines, type DeferredValues, formatPage } from '../resolve/deferred-props.ts'
import type { AuthorHeaders, Outcome, PageRequest } from './outcome.ts'

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
  // render-entry.ts wrote this JSON.
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
