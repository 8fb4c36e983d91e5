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

/** Lines are written at the latest after this time … */
const FLUSH_MS = 100
/** … or when there are this many characters: the capacity of a pipe. */
const FLUSH_LENGTH = 65_536

/**
 * Standard output for services that write a line per request. Lines are buffered, because a system call for each line
 * costs more than the line. The process writes the rest when it exits; a killed process loses a tenth of a second.
 */
export function createOutput(): DestinationStream {
  let lines: string[] = []
  let length = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (lines.length === 0) return
    const text = lines.join('')
    lines = []
    length = 0
    process.stdout.write(text)
  }
  // The reader of the log has exited: the service continues without a log.
  process.stdout.on('error', () => {})
  process.on('exit', flush)
  return {
    write(line) {
      lines.push(line)
      length += line.length
      if (length >= FLUSH_LENGTH) flush()
      else timer ??= setTimeout(flush, FLUSH_MS).unref()
    },
  }
}
