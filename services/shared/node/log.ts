// Structured log lines through pino: JSON on standard output, one line per event, fields instead of sentences.

import { type DestinationStream, type Logger, pino } from 'pino'
import { errorFields } from './error-fields.ts'

export type Log = Logger

/** A service's log; default `destination`: standard output. */
export function createLog(service: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service },
    timestamp: isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // pino puts an error that is logged without a name under `err`.
    serializers: { error: errorFields, err: errorFields },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** pino's own parts for a line written by hand; their names are pino's public symbols. */
interface LineParts {
  [pino.symbols.streamSym]: DestinationStream
  /** The bindings of the log, for example `,"service":"gateway"`. */
  [pino.symbols.chindingsSym]: string
}

/**
 * Writes an info line whose fields are JSON already, for example `,"status":200`: for lines of every request, where
 * pino's walk over an object costs more than the rest of the request. pino's parts write the rest of the line.
 */
export function writeFields(log: Log, fields: string): void {
  if (!log.isLevelEnabled('info')) return
  // Every pino logger has these parts; pino's types omit them.
  const parts = log as unknown as LineParts
  parts[pino.symbols.streamSym].write(`{"level":"info"${isoTime()}${parts[pino.symbols.chindingsSym]}${fields}}\n`)
}

/** A string of JSON. Most texts need no escapes, and the test costs less than JSON.stringify. */
export function jsonText(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`
}

const NEEDS_ESCAPES = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/

let second = 0
let prefix = ''

/** pino's isoTime, formatted only once a second: the formatting took a third of a log line's cost. */
function isoTime(): string {
  const now = Date.now()
  const milliseconds = now % 1000
  if (now - milliseconds !== second) {
    second = now - milliseconds
    // Without milliseconds and zone, for example 2026-11-20T08:00:00.
    prefix = `,"time":"${new Date(second).toISOString().slice(0, 20)}`
  }
  return `${prefix}${String(milliseconds).padStart(3, '0')}Z"`
}

/** Lines are written at the latest after this time … */
const FLUSH_MS = 100
/** … or when there are this many characters: the capacity of a pipe. */
const FLUSH_LENGTH = 65_536

/**
 * Standard output for services that write a line per request. Lines are buffered, because a system call for each line
 * costs more than the line. The process writes the rest when it exits; a killed process loses a tenth of a second.
 */
export function createBufferedOutput(): DestinationStream {
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
