// A log that reports the errors written to it: the page in the browser shows the same errors as the log.

import type { Log } from './log.ts'

/** Fields of our own log lines next to the error. */
interface ErrorFields {
  digest?: string | undefined
  action?: string | undefined
  requestId?: string | undefined
}

export function watchErrors(log: Log, onError: (error: unknown, fields: ErrorFields) => void): Log {
  const report = (fields: object) => {
    const { error, digest, action, requestId }: Record<string, unknown> = { ...fields }
    if (error !== undefined)
      onError(error, { digest: textOf(digest), action: textOf(action), requestId: textOf(requestId) })
    return fields
  }
  return log.child({}, { formatters: { log: report } })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
