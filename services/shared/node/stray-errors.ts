// Errors of app code that nobody waits for. A page, an action or a handler must not end the process that serves all others.

import type { Log } from './log.ts'

/**
 * For processes that run code of the app folder: a promise that fails unheard (the second of two that were begun
 * together, a call that was not awaited) or an error of a timer or an emitter is a line of the log, where Node would
 * end the process.
 */
export function surviveStrayErrors(log: Pick<Log, 'error'>): void {
  const note = (error: unknown): void => {
    // What was begun for a visitor who left ends so: nothing is wrong.
    if (error instanceof Error && error.name === 'AbortError') return
    log.error({ event: 'stray-error', error }, 'an error that no code of the site handles')
  }
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
}

/** Why work is given up that nobody waits for any more; the name is what `fetch` and its callers know. */
export function nobodyWaits(message: string): DOMException {
  return new DOMException(message, 'AbortError')
}
