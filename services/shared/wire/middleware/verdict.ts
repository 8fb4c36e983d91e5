// What middleware has decided about a request (W11, X15): the question of the gateway and the verdict of the renderer, in
// JSON, with one parser and one formatter.

import {
  HEADERS,
  MIDDLEWARE_BODY_LIMIT_BYTES,
  MIDDLEWARE_HEADER_PREFIX,
  MIDDLEWARE_HEADERS_LIMIT_BYTES,
  MIDDLEWARE_REQUEST_HEADERS_LIMIT_BYTES,
  MIDDLEWARE_TARGET_LIMIT_BYTES,
} from '../constants.ts'
import type { RedirectStatus, RefusalStatus } from '../errors/control-flow.ts'
import { isRecord } from '../json/json-value.ts'
import { REDIRECT_STATUSES } from '../page-data.ts'
import { isReservedHeader } from '../patterns/reserved-headers.ts'
import { isReservedRequestHeader } from '../policy/request-headers.ts'

/** What the gateway sends of a request: no body. */
export interface MiddlewareQuestion {
  /** The build of the gateway: a renderer of another build has other middleware and refuses. */
  build: string
  method: string
  /** Path with basePath and query; of page data the address of its page. */
  url: string
  /** As in MiddlewareInput, with the forwarded headers of the gateway. */
  headers: Record<string, string>
  /** The build id in the address of page data. */
  dataBuild?: string
}

/** Changes of the request's headers for everything that receives the request; names in lower case. */
export interface HeaderChanges {
  set: Record<string, string>
  remove: string[]
}

export type MiddlewareVerdict = {
  requestHeaders?: HeaderChanges
  /** Names in lower case; Set-Cookie is one pair for each cookie. */
  responseHeaders: [name: string, value: string][]
} & (
  | { kind: 'next' }
  /** A path below basePath with its query, or an absolute http(s) address of another origin. */
  | { kind: 'rewrite'; target: string }
  /** The value of the Location header. */
  | { kind: 'redirect'; status: RedirectStatus; location: string }
  /** `body`: bytes in base64. */
  | { kind: 'response'; status: number; body: string }
  /** The screen of the status, in the form that the path has; `document` is HTML of the app folder's screen. */
  | { kind: 'refused'; status: MiddlewareRefusal; document?: string }
)

/** notFound(), unauthorized() and forbidden() in middleware. */
type MiddlewareRefusal = RefusalStatus | 404

/** A middleware verdict that cannot be carried out; the message names the rule for the author. */
export class MiddlewareFault extends Error {
  override name = 'MiddlewareFault'
}

/** The JSON of a verdict. Throws MiddlewareFault where a bound is exceeded. */
export function formatVerdict(verdict: MiddlewareVerdict): string {
  const fault = faultOf(verdict)
  if (fault !== undefined) throw new MiddlewareFault(fault)
  return JSON.stringify(verdict)
}

/** Undefined for a value of another shape, and for one that breaks a bound. */
export function parseVerdict(value: unknown): MiddlewareVerdict | undefined {
  if (!isRecord(value) || !hasShape(value)) return undefined
  // Kind and members are checked.
  const verdict = value as unknown as MiddlewareVerdict
  return faultOf(verdict) === undefined ? verdict : undefined
}

/** The parsed question, or the rule that it breaks. */
export function parseQuestion(value: unknown): MiddlewareQuestion | string {
  if (!isRecord(value)) return 'the body must be an object'
  const { build, method, url, headers, dataBuild } = value
  if (typeof build !== 'string') return 'build: must be a string'
  if (typeof method !== 'string' || !TOKEN.test(method)) return 'method: must be a method'
  if (typeof url !== 'string' || !url.startsWith('/')) return 'url: must be a path'
  if (!isRecord(headers) || Object.values(headers).some((each) => typeof each !== 'string'))
    return 'headers: must be an object of strings'
  if (dataBuild !== undefined && typeof dataBuild !== 'string') return 'dataBuild: must be a string'
  // Every member is checked.
  return value as unknown as MiddlewareQuestion
}

/** Changes the headers of a request, whose names are in lower case. */
export function changeHeaders(headers: Record<string, string | string[] | undefined>, changes?: HeaderChanges): void {
  if (!changes) return
  const { set, remove } = changes
  // SECURITY: the parser of the verdict refuses these; framing must not depend on it.
  for (const name of remove) if (!isReservedRequestHeader(name)) delete headers[name]
  for (const [name, value] of Object.entries(set)) if (!isReservedRequestHeader(name)) headers[name] = value
}

/** Whether middleware may not set a response header, in lower case: framing, encoding and names of the stack. */
export function isReservedVerdictHeader(name: string): boolean {
  return isReservedHeader(name) || name.startsWith(MIDDLEWARE_HEADER_PREFIX) || name === HEADERS.cache
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** RFC 9110 section 5.5. SECURITY: no line end. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** A path of this site with one slash, or an http(s) address; without white space, which browsers remove from addresses. */
const TARGET = /^(?:\/(?![/\\])|https?:\/\/[^/\\?#])[\x21-\x7e]*$|^\/$/

function hasShape(value: Record<string, unknown>): boolean {
  const { kind, responseHeaders, requestHeaders, target, location, status, body, document } = value
  if (!Array.isArray(responseHeaders) || !responseHeaders.every(isPair)) return false
  if (requestHeaders !== undefined && !isChanges(requestHeaders)) return false
  switch (kind) {
    case 'next':
      return true
    case 'rewrite':
      return typeof target === 'string'
    case 'redirect':
      return typeof location === 'string' && typeof status === 'number'
    case 'response':
      return typeof body === 'string' && typeof status === 'number'
    case 'refused':
      return (status === 401 || status === 403 || status === 404) && ['string', 'undefined'].includes(typeof document)
    default:
      return false
  }
}

function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string')
}

function isChanges(value: unknown): value is HeaderChanges {
  if (!isRecord(value) || !isRecord(value.set) || !Array.isArray(value.remove)) return false
  return [...Object.values(value.set), ...value.remove].every((each) => typeof each === 'string')
}

/** The rule that a verdict of the right shape breaks. */
function faultOf(verdict: MiddlewareVerdict): string | undefined {
  const { requestHeaders: { set, remove } = { set: {}, remove: [] }, responseHeaders } = verdict
  return (
    faultOfHeaders(responseHeaders, MIDDLEWARE_HEADERS_LIMIT_BYTES, isReservedVerdictHeader) ??
    faultOfHeaders(Object.entries(set), MIDDLEWARE_REQUEST_HEADERS_LIMIT_BYTES, isReservedRequestHeader) ??
    remove.filter((name) => !TOKEN.test(name)).map((name) => `"${name}" is no name of a header`)[0] ??
    faultOfKind(verdict)
  )
}

function faultOfHeaders(
  pairs: readonly (readonly [string, string])[],
  limitBytes: number,
  isReserved: (name: string) => boolean,
): string | undefined {
  let bytes = 0
  for (const [name, value] of pairs) {
    bytes += name.length + value.length
    if (!TOKEN.test(name) || name !== name.toLowerCase()) return `"${name}" is no name of a header`
    if (!VALUE.test(value)) return `the header ${name} has a value that no header may have`
    if (isReserved(name)) return `the header ${name} is the gateway's own and cannot be set by middleware`
  }
  return bytes > limitBytes ? `middleware set headers of ${bytes} bytes, more than ${limitBytes}` : undefined
}

function faultOfKind(verdict: MiddlewareVerdict): string | undefined {
  switch (verdict.kind) {
    case 'next':
      return undefined
    case 'rewrite':
      return faultOfTarget(verdict.target)
    case 'redirect':
      if (!REDIRECT_STATUSES.includes(verdict.status)) return `${verdict.status} is no status of a redirect`
      return faultOfTarget(verdict.location)
    case 'response': {
      const { status, body } = verdict
      if (!Number.isInteger(status) || status < 200 || status > 599) return `${status} is no status of a response`
      return bodyFault(Math.floor((body.length * 3) / 4) - 2)
    }
    case 'refused':
      return bodyFault(Buffer.byteLength(verdict.document ?? ''))
  }
}

/** The rule that a response body of this size breaks. */
export function bodyFault(bytes: number): string | undefined {
  if (bytes <= MIDDLEWARE_BODY_LIMIT_BYTES) return undefined
  return `the response of middleware has more than ${MIDDLEWARE_BODY_LIMIT_BYTES} bytes`
}

function faultOfTarget(target: string): string | undefined {
  if (target.length > MIDDLEWARE_TARGET_LIMIT_BYTES)
    return `an address of ${target.length} characters is longer than ${MIDDLEWARE_TARGET_LIMIT_BYTES}`
  // SECURITY: a browser takes a path with two slashes for another host.
  return TARGET.test(target) ? undefined : `"${target.slice(0, 100)}" is no path of this site and no http(s) address`
}
