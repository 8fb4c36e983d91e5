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
