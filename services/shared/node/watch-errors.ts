// A log that tells of the errors written to it: what the log says of a failure, the page in the browser says too.

import type { Log } from './log.ts'

/** What our own lines say of an error besides itself. */
export interface ErrorFields {
  digest?: string
  action?: string
  requestId?: string
}

export function watchErrors(log: Log, onError: (error: unknown, fields: ErrorFields) => void): Log {
  // A logger's methods are its own properties: one made of it shares all but the one that is put before.
  const watched = Object.create(log) as Log
  const write = (...line: Parameters<Log['error']>) => {
    const [fields] = line as unknown as [unknown]
    if (typeof fields === 'object' && fields !== null && 'error' in fields) onError(fields.error, fields as ErrorFields)
    log.error(...line)
  }
  watched.error = write as Log['error']
  return watched
}
