// When the response of a replica must have begun (E7).

import { removeFrom } from '../../shared/node/unordered.ts'
import type { Passage } from './passage.ts'

/** Late requests are looked for this often. */
const SWEEP_MS = 100

export interface Deadlines {
  /** Starts the time of a passage that is sent to a replica. */
  start(passage: Passage): void
  end(passage: Passage): void
}

/** One timer for all that wait, because one for each costs more than the precision is worth. */
export function createDeadlines(onLate: (passage: Passage) => void): Deadlines {
  const waiting: Passage[] = []
  let sweep: NodeJS.Timeout | undefined
  const endLate = () => {
    const now = performance.now()
    const late = waiting.filter(({ deadline }) => deadline !== undefined && deadline <= now)
    for (const passage of late) onLate(passage)
    if (waiting.length > 0) return
    clearInterval(sweep)
    sweep = undefined
  }
  return {
    start(passage) {
      const begin = () => {
        passage.deadline = performance.now() + passage.route.firstByteMs
      }
      // The limit counts from the end of the request: a slow upload is not the upstream's delay.
      if (passage.request.complete || !passage.hasBody) begin()
      else passage.request.once('end', begin)
      waiting.push(passage)
      sweep ??= setInterval(endLate, SWEEP_MS)
    },
    end: (passage) => removeFrom(waiting, passage),
  }
}
