// Structured log lines through pino: JSON on standard output, one line per event, fields not sentences.

import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/** A service's log. `destination` is standard output unless a test gives another. */
export function createLog(service: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.errWithCause },
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * Standard output that is written ten times a second or in pieces of nearly 16 KB (the largest that pino's writer
 * takes), for services that write a line a request. What is left is written when the process exits; a process that is killed loses a tenth of a second.
 */
export function createBufferedOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 100 })
}
