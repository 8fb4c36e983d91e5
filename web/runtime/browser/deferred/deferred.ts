// Deferred data in the browser (W2): promises in props. Loaded by pages that have them.

import { createDeferredReader, type DeferredReader } from '@portico/shared/wire/deferred/decode.ts'
import { DEFERRED_ATTRIBUTE } from '@portico/shared/wire/deferred/lines.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'

const POLL_MS = 50

type WithDeferred = Pick<HydrationData, 'props' | 'deferred'>

/** Reads the props of a document with deferred data: values follow in elements. */
export function openDocument(data: WithDeferred): void {
  const { settle, end } = open(data)
  const take = () => {
    const isLoading = document.readyState === 'loading'
    for (const element of document.querySelectorAll(`[${DEFERRED_ATTRIBUTE}]`)) {
      try {
        settle(JSON.parse(element.textContent))
        element.remove()
      } catch {
        // The rest of the text has not arrived.
      }
    }
    // React shows streamed parts without these values, which are for hydration: a short delay is not seen.
    if (isLoading) setTimeout(take, POLL_MS)
    // The document is complete, or was cut off.
    else end()
  }
  take()
}

/** Puts promises into the props, and settles those whose lines are known. */
export function open(data: WithDeferred): DeferredReader {
  const reader = createDeferredReader()
  // The decoded value of a record is a record.
  data.props = reader.read(data.props) as Record<string, unknown>
  data.deferred?.forEach(reader.settle)
  return reader
}
