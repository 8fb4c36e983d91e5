// Structured log lines through pino: JSON on standard output, one line per event, fields not sentences.

import { type DestinationStream, type Logger, pino } from 'pino'
import { errorFields } from './error-fields.ts'

export type Log = Logger

/** A service's log. `destination` is standard output unless a test gives another. */
export function createLog(service: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service },
    timestamp: isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // `err` is where pino puts an error that is logged without a name.
    serializers: { error: errorFields, err: errorFields },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** pino's own parts that a line written by hand needs; their names are pino's public symbols. */
interface LineParts {
  [pino.symbols.streamSym]: DestinationStream
  /** The bindings of the log, as in `,"service":"gateway"`. */
  [pino.symbols.chindingsSym]: string
}

/**
 * Writes an information line whose fields are JSON already, as in `,"status":200`: for lines that every request writes,
 * where pino's walk over an object costs more than the request's own work. The rest of the line is pino's.
 */
export function writeFields(log: Log, fields: string): void {
  if (!log.isLevelEnabled('info')) return
  // Every pino logger has these parts; its types do not tell.
  const parts = log as unknown as LineParts
  parts[pino.symbols.streamSym].write(`{"level":"info"${isoTime()}${parts[pino.symbols.chindingsSym]}${fields}}\n`)
}

/** A string of JSON. Most texts need no escapes, which a look tells cheaper than JSON.stringify finds out. */
export function jsonText(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`
}

const NEEDS_ESCAPES = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/

let second = 0
let prefix = ''

/** pino's isoTime, made anew only once a second: its cost was a third of a log line's. */
function isoTime(): string {
  const now = Date.now()
  const milliseconds = now % 1000
  if (now - milliseconds !== second) {
    second = now - milliseconds
    // All but milliseconds and zone, as in 2026-11-20T08:00:00.
    prefix = `,"time":"${new Date(second).toISOString().slice(0, 20)}`
  }
  return `${prefix}${String(milliseconds).padStart(3, '0')}Z"`
}

/** Lines are written after this time at the latest … */
const FLUSH_MS = 100
/** … or when there are this many characters: what a pipe holds. */
const FLUSH_LENGTH = 65_536

/**
 * Standard output for services that write a line a request: lines are gathered, because one call of the system for each
 * costs more than the line. What is left is written when the process exits; a killed one loses a tenth of a second.
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
  // Whoever read the log is gone: the service goes on without one.
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
