// The work before the first request, repeated until it succeeds (O4): a temporary fault must not end a process that
// would have the same fault at its next start.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../observe/log.ts'
import { backOff } from './restart/back-off.ts'

const PAUSES = { firstMs: 500, longestMs: 10_000 }

/** A fault that no second attempt of this process can remove, such as the end of the last worker. The process ends. */
export class CannotServeError extends Error {
  override name = 'CannotServeError'
}

interface WarmUpOptions {
  warm: () => Promise<void>
  log: Log
  /** Receives the reason of each failed attempt, for `/readyz`. */
  onFault: (reason: string) => void
  pause?: (milliseconds: number) => Promise<unknown>
}

/** Resolves when an attempt has succeeded; rejects only with CannotServeError. */
export async function warmUp({ warm, log, onFault, pause = sleep }: WarmUpOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await warm()
    } catch (error) {
      if (error instanceof CannotServeError) throw error
      const pauseMs = backOff(PAUSES, attempt)
      onFault(error instanceof Error ? error.message : String(error))
      log.error({ event: 'warm-up-failed', attempt, pauseMs, error }, 'warm-up failed')
      await pause(pauseMs)
    }
  }
}
