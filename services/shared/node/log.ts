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
 * Standard output that is written in pieces of 4 KB or ten times a second, for services that write a line a request.
 * What is left is written when the process exits; a process that is killed loses a tenth of a second.
 */
export function createBufferedOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 100 })
}
