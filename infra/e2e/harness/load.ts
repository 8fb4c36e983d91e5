// A little steady load while something is stopped or killed. Not a benchmark: it shows the results for a client.

import { onTestFinished } from 'vitest'
import { send } from './http.ts'

interface Load {
  /** Requests with a response, by status. */
  statuses: Record<number, number>
  /** Requests without a response. */
  errors: string[]
  stop: () => Promise<void>
}

/** Requests the targets one after the other, in a few lanes, each request on its own connection; until the test ends at the latest. */
export function startLoad(baseUrl: string, targets: string[], lanes = 3): Load {
  let running = true
  const statuses: Record<number, number> = {}
  const errors: string[] = []
  const lane = async (first: number) => {
    for (let at = first; running; at++) {
      const target = targets[at % targets.length] ?? '/'
      try {
        const { status } = await send(baseUrl, target, { headers: { connection: 'close', accept: 'image/webp,*/*' } })
        statuses[status] = (statuses[status] ?? 0) + 1
      } catch (error) {
        errors.push(`${target}: ${error instanceof Error ? error.message : String(error)}`)
      }
      await new Promise((done) => setTimeout(done, 10))
    }
  }
  const done = Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)))
  const stop = async () => {
    running = false
    await done
  }
  onTestFinished(stop)
  return { statuses, errors, stop }
}
