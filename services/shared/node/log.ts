// Structured log lines through pino: JSON on standard output, one line per event, fields instead of sentences.

import { type DestinationStream, type Logger, pino } from 'pino'
import { errorFields } from './error-fields.ts'

export type Log = Logger

/** A service's log; default `destination`: standard output. */
export function createLog(service: string, level: string, destination: DestinationStream = process.stdout): Log {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // pino puts an error that is logged without a name under `err`.
    serializers: { error: errorFields, err: errorFields },
  }
  return pino(options, destination)
}

/** Lines are written when there are this many bytes … */
const FLUSH_BYTES = 4096
/** … or after this time at the latest. */
const FLUSH_MS = 100

/**
 * Standard output for a service, which writes a line per request: a system call for each line costs more than the line.
 * pino writes the rest when the process exits; a killed process loses a tenth of a second.
 */
export function createOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: FLUSH_BYTES, periodicFlush: FLUSH_MS })
}
