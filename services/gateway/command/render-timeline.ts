// What happened to a request, from its log lines: what responded and why, then the lines of all services. Pure.

import type { RefusalReason } from '@portico/shared/kit/observe/refusals.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BYPASS_TEXTS } from '../explanation.ts'
import { type CollectedLines, type LogLine, timeOf } from './collect-lines.ts'
import { count, errorFacts, labelled, type Paint, plainPaint, wrapped } from './text-lines.ts'

/** Requests of one trace that are described; their lines are shown in any case. */
const MOST_REQUESTS = 4
const MOST_STACK_LINES = 6
/** Fields that a line shows elsewhere. */
const HIDDEN: ReadonlySet<string> = new Set(
  'time level service msg requestId traceId event error err pid hostname method path status ms'.split(' '),
)

/** The lines of the request `name`, as text of at most 100 columns. `lines` has at least one line. */
export function renderTimeline(
  name: string,
  { lines, leftOut }: Pick<CollectedLines, 'lines' | 'leftOut'>,
  paint: Paint = plainPaint,
): string {
  const requests = lines.filter(isOfGateway)
  // The request itself before those that its page or its action made.
  const isOwn = ({ fields }: LogLine) => fields.requestId === name || fields.digest === name
  const ordered = [...requests.filter(isOwn), ...requests.filter((line) => !isOwn(line))]
  const described = ordered.slice(0, MOST_REQUESTS).map((line) => requestLines(line, paint))
  const more = requests.length - described.length
  const blocks = [
    ...(described.length > 0 ? described : [wrapped('', `${name}: ${WITHOUT_GATEWAY}`)]),
    ...(more > 0 ? [[`${count(more, 'more request')} of the same trace`]] : []),
    lines.flatMap((line) => logLines(line, paint)),
    ...(leftOut > 0 ? [[`${count(leftOut, 'more line')} of the request`]] : []),
  ]
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`
}

const WITHOUT_GATEWAY =
  'the logs have no line of the gateway, which writes it at the end of the response, and leaves lines of one client out beyond ACCESS_LINES_PER_CLIENT'

function isOfGateway({ fields }: LogLine): boolean {
  return fields.event === 'request' && fields.service === 'gateway'
}

/** What the gateway's line says, with the meaning of each field. */
function requestLines({ source, fields }: LogLine, paint: Paint): string[] {
  const text = (name: string): string | undefined => {
    const value = fields[name]
    return value === undefined || value === null ? undefined : [value].flat().map(String).join(', ')
  }
  const explained = (name: string, meanings: Readonly<Record<string, string>>): string | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    return Object.hasOwn(meanings, value) ? `${value}: ${meanings[value]}` : value
  }
  const code = text('code')
  const by = text('by')
  const replica = text('replica')
  const upstreamMs = text('upstreamMs')
  const facts: [string, string | undefined][] = [
    ['request', joined([text('requestId'), text('traceId') && `trace ${text('traceId')}`])],
    ['gateway', joined([source, text('time')])],
    [
      'by',
      joined([by && (BY[by] ?? by), replica && `replica ${replica}`, upstreamMs && `first byte at ${upstreamMs} ms`]),
    ],
    ['route', text('route')],
    ['rules', text('rules')],
    ['verdict', explained('verdict', VERDICTS)],
    ['cache', explained('cache', CACHE)],
    ['renderer', explained('rendererCache', RENDERER_CACHE)],
    ['uncached', explained('uncached', BYPASS_TEXTS)],
    ['resolved', explained('resolvedAgain', RESOLVED_AGAIN)],
    [
      'attempts',
      text('attempts') && `${text('attempts')}: a replica failed before its response, and another one got the request`,
    ],
    ['refused', explained('refused', REFUSED)],
    ['digest', text('digest') && `${text('digest')}: the error screen shows it, and the line of the error has it`],
  ]
  const shown = facts.flatMap(([name, value]) => (value ? labelled(name, value, paint) : []))
  const outcome = wrapped('', outcomeOf(fields)).map((line) => paint('bold', line))
  return [...outcome, ...shown, ...(code === undefined ? [] : errorFacts(code, paint))]
}

/** For example `GET /places/skarnvik: 200 in 3.2 ms, from memory (HIT)`. */
function outcomeOf({ method, path, status, ms, by, cache, code, incomplete }: LogLine['fields']): string {
  const facts = [`${status}${code === undefined ? '' : ` ${code}`} in ${ms} ms`]
  if (by === 'cache') facts.push(`from memory (${cache})`)
  else if (by === 'gateway') facts.push('by the gateway itself')
  else if (by !== undefined) facts.push(`by ${by}`)
  if (status === 499) facts.push('the client closed the connection before the response')
  else if (incomplete === true) facts.push('the response broke off')
  return `${method} ${path}: ${facts.join(', ')}`
}

function joined(facts: readonly (string | undefined)[]): string {
  return facts.filter(Boolean).join(', ')
}

function logLines({ source, fields }: LogLine, paint: Paint): string[] {
  const time = timeOf({ source, fields }).slice(11, 23).padEnd(12)
  const { level, error = fields.err } = fields
  const others = Object.entries(fields).filter(([name]) => !HIDDEN.has(name) && !isOfGateway({ source, fields }))
  const texts = [messageOf(fields), ...others.map(([name, value]) => `${name}=${shownValue(value)}`)]
  const [first = '', ...further] = wrapped(`${time}  ${source.padEnd(12)}  `, texts.join(' ').replaceAll('\n', ' '))
  const isBad = level === 'error' || level === 'fatal'
  const head = isBad ? paint('red', first) : level === 'warn' ? paint('yellow', first) : first
  return [head, ...further, ...errorLines(error).map((line) => paint('dim', `              ${line}`))]
}

function messageOf({ event, method, path, status, ms, msg }: LogLine['fields']): string {
  return event === 'request' ? `${status} ${method} ${path} ${ms} ms` : String(msg ?? '')
}

function shownValue(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value)
}

/** The beginning of each stack: of the error, then of its cause. */
function errorLines(error: unknown): string[] {
  if (error === undefined || error === null) return []
  if (!isRecord(error)) return [String(error)]
  const { stack, message, cause, remedy } = error
  const lines = String(stack ?? message ?? JSON.stringify(error)).split('\n')
  const shown = lines.slice(0, MOST_STACK_LINES)
  const causes = isRecord(cause) ? errorLines(cause).map((line, at) => (at === 0 ? `Caused by: ${line}` : line)) : []
  return [...(typeof remedy === 'string' ? [remedy] : []), ...shown, ...causes]
}

const BY: Readonly<Record<string, string>> = {
  cache: 'the memory of the gateway',
  files: 'a file of the gateway',
  gateway: 'the gateway itself',
  external: 'the other host of a rewrite',
}

const VERDICTS: Readonly<Record<string, string>> = {
  next: 'middleware let the request pass',
  rewrite: 'middleware led the request to another address',
  redirect: 'middleware sent the client elsewhere',
  response: 'middleware responded itself',
  refused: 'middleware gave no verdict that can be carried out',
}

const CACHE: Readonly<Record<string, string>> = {
  HIT: 'kept, and current',
  STALE: 'kept and older than its lifetime, or not confirmed: sent once more',
  MISS: 'not kept: made for this request, and kept since',
  FALLBACK: 'the copy of the image could not be made: a wider one was sent',
  ERROR: 'making the page failed, and there was none to send in its place',
}

const RENDERER_CACHE: Readonly<Record<string, string>> = {
  HIT: "the renderer's own cache had the page",
  STALE: "the renderer's own cache had the page from before",
  MISS: 'the renderer rendered the page',
}

/** The reasons of CacheBypass. */
const RESOLVED_AGAIN: Readonly<Record<string, string>> = {
  'other-version': 'the renderer has another version, as during a deploy, and found the page itself',
  'unknown-page': 'the renderer does not have the page that the gateway found',
  malformed: "the renderer could not read the gateway's result",
}

const REFUSED: Readonly<Record<RefusalReason, string>> = {
  connections: 'the gateway has its most connections',
  'connections-per-address': 'the address has its most connections (MAX_CONNECTIONS_PER_ADDRESS)',
  'connection-displaced': 'an idle connection of an address with many gave way to another address',
  'requests-per-address': 'the address has its most running requests',
  'post-rate': 'the client sent more forms and API requests than RATE_LIMIT_POSTS allows in a minute',
  'head-late': 'the head of the request did not arrive in time',
  'body-idle': 'the body paused for too long',
  'body-slow': 'the body arrived too slowly',
  'body-unread': 'the service did not read the body for too long',
  'body-after-response': 'the body continued long after the end of the response',
  'response-unread': 'the client took nothing of the response for too long',
  'bodies-full': 'the memory of arriving bodies is full, and the address holds as much as any other',
  'body-displaced': 'the body gave way to one of an address that sends less',
  'ready-queue-full': 'too many requests waited for a first ready replica',
}
