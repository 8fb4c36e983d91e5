// Turns the services' JSON lines into one readable log: time, service, message, fields. With --json the lines stay
// JSON.

import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { withoutControls } from '@portico/shared/kit/observe/without-controls.ts'

export interface StackLog {
  /** Writes a line of the stack itself. */
  say(message: string, fields?: Record<string, unknown>, level?: 'info' | 'warn' | 'error'): void
  /** Receives the output of a process; incomplete lines wait for their end. Its lines have the name as their service. */
  writerFor(name: string): (chunk: string) => void
}

interface StackLogOptions {
  out: Pick<Writable, 'write'>
  json: boolean
  colour: boolean
  now?: () => Date
}

type Line = Record<string, unknown>

type Style = Extract<Parameters<typeof styleText>[0], string>
type Paint = (style: Style, text: string) => string

const SERVICE_STYLES: Readonly<Record<string, Style>> = {
  stack: 'bold',
  gateway: 'cyan',
  renderer: 'magenta',
  images: 'yellow',
  actions: 'green',
}
const LEVEL_STYLES: Readonly<Record<string, Style>> = { warn: 'yellow', error: 'red', fatal: 'red' }
/** Fields shown elsewhere in the line, or of no use to a person. */
const HIDDEN: ReadonlySet<string> = new Set(['time', 'level', 'service', 'msg', 'error', 'err', 'event', 'address'])
/** Fields of an access line that help a person on one machine; the rest is for programs. */
const SHOWN_OF_REQUEST: ReadonlySet<string> = new Set([
  'by',
  'cache',
  'attempts',
  'code',
  'digest',
  'incomplete',
  'sourceHost',
  'reason',
])

/** Creates the log. */
export function createStackLog({ out, json, colour, now = () => new Date() }: StackLogOptions): StackLog {
  // The caller has looked at the terminal.
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text)
  const write = (line: Line) => {
    if (!json && isEcho(line)) return
    out.write(json ? `${JSON.stringify(line)}\n` : `${formatLine(withoutControls(line), paint)}\n`)
  }
  return {
    say: (message, fields = {}, level = 'info') =>
      write({ level, time: now().toISOString(), service: 'stack', ...fields, msg: message }),
    writerFor(name) {
      let rest = ''
      return (chunk) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const text of lines) {
          if (text.trim() === '') continue
          write({ level: 'info', time: now().toISOString(), msg: text, ...parseLine(text), service: name })
        }
      }
    },
  }
}

/** A JSON log line; undefined for other text. */
function parseLine(text: string): Line | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text) as Line
  } catch {
    // Not a line of our log, or a truncated line of a dying process: shown as plain text.
    return undefined
  }
}

/** The gateway has a line for every request: the line of the service behind the gateway would repeat it. */
function isEcho({ service, event, level }: Line): boolean {
  return service !== 'gateway' && level === 'info' && event === 'request'
}

function formatLine(line: Line, paint: Paint): string {
  const time = typeof line.time === 'string' ? line.time.slice(11, 19) : '--:--:--'
  const service = String(line.service ?? '')
  const level = String(line.level ?? 'info')
  const levelText = level === 'info' ? '' : `${paint(LEVEL_STYLES[level] ?? 'dim', level)} `
  const isRequest = line.event === 'request' && typeof line.method === 'string'
  const message = isRequest ? formatRequest(line, paint) : String(line.msg ?? '')
  const fields = Object.entries(line)
    .filter(([name, value]) => value !== undefined && value !== null && value !== '' && !HIDDEN.has(name))
    .filter(([name]) => !isRequest || SHOWN_OF_REQUEST.has(name))
    .map(([name, value]) => `${name}=${formatValue(value)}`)
  const head = `${paint('dim', time)} ${paint(SERVICE_STYLES[service.split(' ')[0]!] ?? 'white', service.padEnd(8))} ${levelText}${message}`
  const tail = fields.length > 0 ? ` ${paint('dim', fields.join(' '))}` : ''
  return `${head}${tail}${formatError(line.error ?? line.err, message)}`
}

/** `200 GET     12 ms /path`: the part of varying length is at the end, so that columns stay aligned. */
function formatRequest({ status, method, ms, path }: Line, paint: Paint): string {
  const code = Number(status)
  const style = code >= 500 ? 'red' : code >= 400 ? 'yellow' : code >= 300 ? 'cyan' : 'green'
  return `${paint(style, String(code))} ${String(method).padEnd(4)} ${String(ms).padStart(7)} ms ${String(path)}`
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return /\s/.test(value) ? JSON.stringify(value) : value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * What helps against an error, its stack and those of its causes, indented below its line; empty when the line already contains
 * the message.
 */
function formatError(error: unknown, message: string): string {
  if (typeof error !== 'object' || error === null) return error === undefined ? '' : ` ${String(error)}`
  const { remedy } = error as { remedy?: unknown }
  const [detail, ...causes] = stacksOf(error)
  const shown = [remedy, detail === message ? undefined : detail, ...causes.map((cause) => `Caused by: ${cause}`)]
  return shown
    .filter((part) => typeof part === 'string')
    .map((part) => `\n${part.replace(/^/gm, '           ')}`)
    .join('')
}

/** The stacks of the error, its causes, and the errors that it contains. */
function stacksOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return error === undefined ? [] : [String(error)]
  const { stack, message, cause, aggregateErrors } = error as Record<string, unknown>
  const own = typeof stack === 'string' ? stack : String(message ?? JSON.stringify(error))
  const inner = [cause, ...(Array.isArray(aggregateErrors) ? aggregateErrors : [])]
  return [own, ...inner.flatMap(stacksOf)]
}
