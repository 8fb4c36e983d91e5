// Page data of a page with getServerSideProps, as an outcome: one JSON, or lines (W2).

import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import type { ByteSink } from '@portico/shared/wire/bundles.ts'
import { PAGE_DATA_LIMIT } from '@portico/shared/wire/constants.ts'
import { createSinkWriter } from '@portico/shared/wire/deferred/sink-writer.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
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
  { props, deferred, author, onHead }: PageProps,
): Promise<Outcome> {
  const route = entry.pattern
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

/** Throws an error for a response that is too large. */
export function refuseHuge(body: string, route: string): void {
  if (body.length > PAGE_DATA_LIMIT)
    throw new Error(`${route}: the response has ${body.length} characters; the limit is ${PAGE_DATA_LIMIT}`)
}
