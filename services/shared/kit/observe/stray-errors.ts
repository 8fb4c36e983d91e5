// Unhandled errors of app code. A page, an action or a handler must not end the process that serves all clients.

import type { Log } from './log.ts'

/**
 * For processes that run code of the app folder: an unhandled rejection (of the second of two concurrent promises, or
 * of a call that was not awaited) or an error of a timer or an emitter becomes a log line, where Node would end the
 * process.
 */
export function surviveStrayErrors(log: Pick<Log, 'error'>): void {
  const note = (error: unknown): void => {
    // Work that was aborted because its client disconnected is no fault.
    if (error instanceof Error && error.name === 'AbortError') return
    log.error({ event: 'stray-error', error }, 'unhandled error of site code')
  }
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
}

/** The abort reason for work that no client waits for; `fetch` and its callers know the name AbortError. */
export function createAbortError(message: string): DOMException {
  return new DOMException(message, 'AbortError')
}
