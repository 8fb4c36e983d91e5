// Finds the lines of one request in the logs of all services, however large the logs are: one line at a time, and few are kept.
// How the lines are shown is left to render-timeline.ts.

import { withoutControls } from '@portico/shared/kit/observe/without-controls.ts'
import { isRecord, parseJson } from '@portico/shared/wire/json/json-value.ts'

/** A JSON line of a service. */
export interface LogLine {
  /** The container or pod, where the log names it, else the service. */
  source: string
  fields: Readonly<Record<string, unknown>>
}

export interface CollectedLines {
  /** In the order of their times. */
  lines: readonly LogLine[]
  /** Lines of the request that are left out. */
  leftOut: number
  seen: SeenLines
}

/** What the logs contain, for the report that a request is missing. */
interface SeenLines {
  lines: number
  /** Lines that may be JSON. */
  json: number
  /** Requests without a line of their own (access-lines.ts). */
  notLogged: number
  /** The earliest and the latest time; undefined without JSON lines. */
  from: string | undefined
  to: string | undefined
}

/** The text of logs, in pieces of any length. */
export interface LogSource {
  open(): AsyncIterable<string>
  /** Whether `open` may be called again: a file, not a pipe. */
  isRepeatable: boolean
}

/** A line that is longer is none of a service. */
const LONGEST_LINE = 1024 * 1024
/** SECURITY: a client chooses the id of its trace, and may give one id to all of its requests. */
const MOST_LINES = 200
const MOST_NAMES = 50
const MOST_PASSES = 3
/** Characters of earlier lines of a pipe, twice: the line that ties an error to its request is written after the error. */
const RECENT_CHARACTERS = 4 * 1024 * 1024
/** Clocks of machines differ. */
const CLOCK_MS = 50

/** Whether a text is the id of a request (16 digits) or of a trace (32), or the digest of an error (10). */
export function isRequestName(text: string): boolean {
  return /^(?:[0-9a-f]{10}|[0-9a-f]{16}|[0-9a-f]{32})$/.test(text)
}

/**
 * The lines with this name, and those that belong to them: of its trace within its time, and of its error. Reads a file until no
 * further name is found; rejects as the source does.
 */
export async function collectLines(source: LogSource, name: string): Promise<CollectedLines> {
  const names = new Set([name])
  for (let pass = 1; ; pass++) {
    const before = names.size
    const collector = createCollector(name, names, !source.isRepeatable)
    await eachLine(source.open(), collector.take)
    if (source.isRepeatable && names.size > before && pass < MOST_PASSES) continue
    const { lines, leftOut, seen } = collector
    const ordered = withinRequest(lines, name).sort((left, right) => timeOf(left).localeCompare(timeOf(right)))
    return { lines: ordered, leftOut: leftOut(), seen }
  }
}

async function eachLine(chunks: AsyncIterable<string>, take: (line: string) => void): Promise<void> {
  let rest = ''
  let isTooLong = false
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      if (!isTooLong) take(line)
      isTooLong = false
    }
    if (rest.length > LONGEST_LINE) {
      isTooLong = true
      rest = ''
    }
  }
  if (rest !== '' && !isTooLong) take(rest)
}

/** `names` receives the names that the lines tie to those that are known, which begin with `own`. */
function createCollector(own: string, names: Set<string>, remembersRecent: boolean) {
  const lines: LogLine[] = []
  const seen: SeenLines = { lines: 0, json: 0, notLogged: 0, from: undefined, to: undefined }
  const recent = createRecent()
  let leftOut = 0

  const keep = (text: string, line: LogLine): void => {
    // Other requests of the trace leave room for the request itself.
    const most = line.fields.requestId === own ? MOST_LINES : MOST_LINES / 2
    if (lines.length < most) lines.push(line)
    else leftOut++
    for (const name of namesOf(line)) {
      if (names.has(name) || names.size === MOST_NAMES) continue
      names.add(name)
      for (const earlier of recent.recall(name, text)) match(earlier)
    }
  }
  const match = (text: string): boolean => {
    if (!isNamed(text, names)) return false
    const line = parseLogLine(text)
    if (!line || !namesOf(line).some((name) => names.has(name))) return false
    keep(text, line)
    return true
  }
  return {
    lines,
    leftOut: () => leftOut,
    seen,
    take(text: string): void {
      if (text !== '') seen.lines++
      if (!text.includes('{"')) return
      note(seen, text)
      if (!match(text) && remembersRecent && /"(?:requestId|digest)":"/.test(text)) recent.add(text)
    },
  }
}

function isNamed(text: string, names: ReadonlySet<string>): boolean {
  for (const name of names) if (text.includes(name)) return true
  return false
}

function note(seen: SeenLines, text: string): void {
  seen.json++
  const [, notLogged] = text.includes('"notLogged":') ? (/"notLogged":(\d+)/.exec(text) ?? []) : []
  if (notLogged !== undefined) seen.notLogged += Number(notLogged)
  const at = text.indexOf('"time":"')
  if (at < 0) return
  const time = text.slice(at + 8, at + 32)
  if (seen.from === undefined || time < seen.from) seen.from = time
  if (seen.to === undefined || time > seen.to) seen.to = time
}

/** The latest lines of a pipe, in two halves, of which the older one is dropped. */
function createRecent() {
  let older: string[] = []
  let newer: string[] = []
  let characters = 0
  return {
    add(text: string): void {
      if (characters + text.length > RECENT_CHARACTERS) {
        older = newer
        newer = []
        characters = 0
      }
      newer.push(text)
      characters += text.length
    },
    /** Those with the name, which are then no longer kept. */
    recall(name: string, except: string): string[] {
      const found = [...older, ...newer].filter((text) => text !== except && text.includes(name))
      const isOther = (text: string) => !found.includes(text)
      older = older.filter(isOther)
      newer = newer.filter(isOther)
      return found
    },
  }
}

function namesOf({ fields: { requestId, traceId, digest } }: LogLine): string[] {
  return [requestId, traceId, digest].filter((name) => typeof name === 'string' && isRequestName(name)) as string[]
}

/**
 * Undefined for a line without JSON. What precedes the JSON is written by the engine: `gateway-1  | ` by Compose,
 * `portico_gateway.1.x@node | ` by Swarm, `[pod/gateway-x/gateway] ` by kubectl, and times by all of them.
 */
function parseLogLine(text: string): LogLine | undefined {
  const at = text.indexOf('{"')
  if (at < 0) return undefined
  const fields = parseJson(text.slice(at))
  if (!isRecord(fields)) return undefined
  const prefix = withoutControls(text.slice(0, at))
  const [, container] = /^\s*([^\s|]+)\s+\|/.exec(prefix) ?? /^\s*\[?pod\/([^/\s]+)/.exec(prefix) ?? []
  // SECURITY: paths and texts of errors are those of clients.
  return { source: container ?? withoutControls(String(fields.service ?? '?')), fields: withoutControls(fields) }
}

/** A trace may have other requests before and after: those that the request has made itself are within its time. */
function withinRequest(lines: readonly LogLine[], name: string): LogLine[] {
  const own = lines.find(({ fields }) => fields.requestId === name && fields.traceId !== undefined)
  const end = own ? Date.parse(timeOf(own)) : Number.NaN
  if (!own || Number.isNaN(end)) return [...lines]
  const begin = end - Number(own.fields.ms ?? 0)
  return lines.filter((line) => {
    const at = Date.parse(timeOf(line))
    return line.fields.requestId === name || (at >= begin - CLOCK_MS && at <= end + CLOCK_MS)
  })
}

export function timeOf({ fields: { time } }: LogLine): string {
  return typeof time === 'string' ? time : ''
}
