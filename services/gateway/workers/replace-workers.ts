// Replaces all workers of a gateway, one after the other: a new one accepts connections before the old one stops.

import { setTimeout as sleep } from 'node:timers/promises'
import { NO_EXITS, type RestartState } from '@portico/shared/kit/life/restart/restart-policy.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Member } from './member.ts'

/** Of a new worker, from its start until it accepts connections: longer than its warm-up with an unavailable store. */
export const START_LIMIT_MS = 60_000
/** A replaced worker serves its open connections for this long before it drains. */
const RETIRED_MS = 3000

/** One worker, and its successors. */
export interface Slot {
  member: Member
  restarts: RestartState
}

interface ReplacingDeps {
  slots: readonly Slot[]
  fork: () => Member
  /** Makes the worker that of the slot. */
  follow: (slot: Slot, member: Member) => void
  stopMember: (member: Member) => Promise<void>
  isStopping: () => boolean
  log: Log
}

/** Returns the function that replaces all workers; a call while it runs repeats it once. */
export function createReplacing({ slots, fork, follow, stopMember, isStopping, log }: ReplacingDeps) {
  let replacing: Promise<void> | undefined
  let mustRepeat = false

  const replace = async (slot: Slot) => {
    const next = fork()
    const limit = new AbortController()
    await Promise.race([next.started, sleep(START_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => {})])
    limit.abort()
    if (isStopping()) return next.kill('SIGTERM')
    if (!next.isListening()) {
      next.kill('SIGKILL')
      throw new Error(`worker ${next.id} did not start`)
    }
    const earlier = slot.member
    follow(slot, next)
    slot.restarts = NO_EXITS
    await earlier.retire()
    // Most connections are closed with their next response: an idle one may be closed just as its client uses it.
    await Promise.race([earlier.exited, sleep(RETIRED_MS, undefined, { ref: false })])
    if (!isStopping()) await stopMember(earlier)
  }

  const replaceEach = async () => {
    log.info({ event: 'workers-replacing', workers: slots.length }, 'replacing workers')
    try {
      for (const slot of slots) if (!isStopping()) await replace(slot)
      log.info({ event: 'workers-replaced' }, 'workers replaced')
    } catch (error) {
      log.error({ event: 'workers-not-replaced', error }, 'workers not replaced: the earlier ones continue')
    }
  }

  const repeat = async () => {
    do {
      mustRepeat = false
      await replaceEach()
    } while (mustRepeat && !isStopping())
    replacing = undefined
  }

  return async function replaceAll(): Promise<void> {
    if (isStopping()) return
    mustRepeat = replacing !== undefined
    replacing ??= repeat()
    await replacing
  }
}
