// Logs for what a gateway waits that has started and is not ready for the first time (O12): an operator reads why a deploy
// does not go on.

import type { Log } from '@portico/shared/kit/observe/log.ts'

/** Within this time every replica that runs was probed. */
const INTERVAL_MS = 1000
/** Services that start together with the gateway are ready within this many intervals: until then waiting is usual. */
const USUAL_INTERVALS = 15

/** Called when the listeners are open. Logs each change of the reasons, and ends when there are none. */
export function watchWaiting(reasons: () => readonly string[], log: Pick<Log, 'info' | 'warn'>): void {
  let logged = ''
  let isWarned = false
  let intervals = 0
  const timer = setInterval(() => {
    const waiting = reasons()
    const text = waiting.join('; ')
    if (waiting.length === 0) {
      clearInterval(timer)
      if (logged !== '') log.info({ event: 'waited' }, 'the gateway is ready')
    } else if (text !== logged || (intervals >= USUAL_INTERVALS && !isWarned)) {
      isWarned = intervals >= USUAL_INTERVALS
      log[isWarned ? 'warn' : 'info']({ event: 'waiting', waiting }, 'the gateway waits before it is ready')
    }
    intervals++
    logged = text
  }, INTERVAL_MS).unref()
}
