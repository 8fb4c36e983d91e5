// Ends a request to another host that pauses too long.

import type { ClientRequest } from 'node:http'
import { codedError } from '@portico/shared/kit/inner/faults.ts'

/** A service ends its responses itself; another host may never do so. */
const LONGEST_SILENCE_MS = 60_000

/** Ends a request in which no byte passes for a minute. */
export function limitSilence(request: ClientRequest, silenceMs = LONGEST_SILENCE_MS): void {
  request.setTimeout(silenceMs, () => request.destroy(codedError('ESILENT', 'the other host paused too long')))
}
