// Another place after a fault: for fills, verdicts and renderings alike.

import { mayRepeat } from './faults.ts'
import type { InnerFailure } from './inner-client.ts'

interface OneMore<Place, Result extends { kind: string }> {
  first: Place
  /** The place after one that failed; undefined: there is none. */
  next: (failed: Place, failure: InnerFailure) => Promise<Place | undefined> | Place | undefined
  send: (place: Place) => Promise<Result | InnerFailure>
  isRepeatable: boolean
}

/**
 * Sends to one place, to as many more as no connection could be made to, and after another fault that allows it (faults.ts)
 * to one more. Resolves with the last result.
 */
export async function sendWithOneMore<Place, Result extends { kind: string }>({
  first,
  next,
  send,
  isRepeatable,
}: OneMore<Place, Result>): Promise<{ by: Place; result: Result | InnerFailure }> {
  let by = first
  let result = await send(by)
  for (let faults = 0; isFailure(result); ) {
    // A place that refused is not chosen again. One whose connection broke off while it was made may be: there is an end.
    if (!result.isUnsent || result.fault === 'broken') faults++
    if (faults > 1 || !mayRepeat(result, isRepeatable)) break
    const other = await next(by, result)
    if (other === undefined) break
    by = other
    result = await send(by)
  }
  return { by, result }
}

function isFailure(result: { kind: string } | InnerFailure): result is InnerFailure {
  return result.kind === 'fault'
}
