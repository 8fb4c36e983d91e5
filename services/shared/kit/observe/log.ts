// Structured log lines through pino: JSON on standard output, one line per event, fields instead of sentences.

import { type DestinationStream, type Logger, pino } from 'pino'
import { errorFields } from './error-fields.ts'

export type Log = Logger

/** A service's log; default `destination`: standard output. */
export function createLog(service: string, level: string, destination: DestinationStream = process.stdout): Log {
  const options = {
    level,
    base: { service },
    timestamp: createIsoTime(),
    formatters: { level: (label: string) => ({ level: label }) },
    // pino puts an error that is logged without a name under `err`.
    serializers: { error: errorFields, err: errorFields },
  }
  return pino(options, destination)
}

/** pino's isoTime, with the date formatted once a second: the formatting of each line is a third of the line's cost. */
function createIsoTime(): () => string {
  let second = 0
  let upToSecond = ''
  return () => {
    const now = Date.now()
    const milliseconds = now % 1000
    if (now - milliseconds !== second) {
      second = now - milliseconds
      upToSecond = new Date(second).toISOString().slice(0, -'000Z'.length)
    }
    return `,"time":"${upToSecond}${String(milliseconds).padStart(3, '0')}Z"`
  }
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
