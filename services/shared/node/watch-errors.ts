// A log that reports the errors written to it: the page in the browser shows the same errors as the log.

import type { Log } from './log.ts'

/** Fields of our own log lines next to the error. */
export interface ErrorFields {
  digest?: string
  action?: string
  requestId?: string
}

export function watchErrors(log: Log, onError: (error: unknown, fields: ErrorFields) => void): Log {
  // A logger's methods are its own properties: an object created from it shares all methods except the replaced one.
  const watched = Object.create(log) as Log
  const write = (...line: Parameters<Log['error']>) => {
    const [fields] = line as unknown as [unknown]
    if (typeof fields === 'object' && fields !== null && 'error' in fields) onError(fields.error, fields as ErrorFields)
    log.error(...line)
  }
  watched.error = write as Log['error']
  return watched
}
