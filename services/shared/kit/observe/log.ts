// Structured log lines through pino: JSON on standard output, one line per event, fields instead of sentences.

import { type DestinationStream, type Logger, pino } from 'pino'
import { errorFields } from './error-fields.ts'

export type Log = Logger

/** A service's log; default `destination`: standard output. `fields` of each line may be the name of the service alone. */
export function createLog(
  fields: string | { service: string; worker?: number },
  level: string,
  destination: DestinationStream = process.stdout,
): Log {
  const options = {
    level,
    base: typeof fields === 'string' ? { service: fields } : fields,
    timestamp: createIsoTime(),
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: serializersWith(errorFields),
  }
  return pino(options, destination)
}

/** The log with other positions in the stacks of errors. */
export function withMappedStacks(log: Log, mapStack: (stack: string) => string): Log {
  return log.child({}, { serializers: serializersWith((error) => errorFields(error, mapStack)) })
}

/** pino puts an error that is logged without a name under `err`. */
function serializersWith(serialize: (error: unknown) => unknown): Record<'error' | 'err', (error: unknown) => unknown> {
  return { error: (error) => serialize(error), err: (error) => serialize(error) }
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
/** … or when the next line might not fit into this many bytes: the capacity of a pipe. */
const FLUSH_BYTES = 65_536
/** Linux writes so many bytes to a pipe as a whole (PIPE_BUF): lines of processes with one output are not mixed. */
export const SHARED_OUTPUT_BYTES = 4096
/** The length of one UTF-16 code unit in UTF-8. */
const MOST_BYTES = 3

export interface Output extends DestinationStream {
  /**
   * Resolves when the reader of the log has every line, or after `limitMs`. Without it an exit drops what waits for a reader
   * that is slower than the service.
   */
  drain(limitMs: number): Promise<void>
}

/**
 * Standard output for services that write a line per request. Lines are buffered, because a system call for each line
 * costs more than the line. The process writes the rest when it exits; a killed process loses a tenth of a second.
 * Lines are kept as bytes: pino's text is a tree of small strings, which V8 would copy at each collection.
 */
export function createOutput(flushBytes = FLUSH_BYTES): Output {
  const bytes = Buffer.allocUnsafe(flushBytes)
  let length = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (length === 0) return
    // A copy: standard output may write it later.
    process.stdout.write(Buffer.from(bytes.subarray(0, length)))
    length = 0
  }
  // The reader of the log has exited: the service continues without a log.
  process.stdout.on('error', () => {})
  process.on('exit', flush)
  return {
    write(line) {
      const mostBytes = line.length * MOST_BYTES
      if (length + mostBytes > flushBytes) flush()
      if (mostBytes > flushBytes) return void process.stdout.write(line)
      length += bytes.write(line, length)
      timer ??= setTimeout(flush, FLUSH_MS).unref()
    },
    drain(limitMs) {
      flush()
      return new Promise((done) => {
        const limit = setTimeout(done, limitMs)
        process.stdout.write('', () => {
          clearTimeout(limit)
          done()
        })
      })
    },
  }
}
