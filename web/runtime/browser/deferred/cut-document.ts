// Ends a document whose connection broke while values were to follow: browsers report such an end by nothing at all.

import { DEFERRED_SILENCE_MS } from '@portico/shared/wire/constants.ts'

const CHECK_MS = 1000
/** The member of placeholders, as lines.ts has it: an import would make the first load of other code larger. */
const PLACEHOLDER = '"$deferred":'

/** Watches a document with deferred data until it is complete. */
export function endCutDocument(): void {
  if (document.readyState !== 'loading' || !document.body.textContent.includes(PLACEHOLDER)) return
  const elements = document.getElementsByTagName('*')
  let count = 0
  let silentMs = 0
  const timer = setInterval(() => {
    if (document.readyState !== 'loading') return clearInterval(timer)
    silentMs = elements.length === count ? silentMs + CHECK_MS : 0
    count = elements.length
    if (silentMs < DEFERRED_SILENCE_MS) return
    // The document is complete then; React renders its waiting parts again at the event, and their values have failed.
    stop()
    document.dispatchEvent(new Event('DOMContentLoaded'))
  }, CHECK_MS)
}
