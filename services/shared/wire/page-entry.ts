// An entry of the page cache on its way from the renderer to the gateway (W8): the target of the request, and the
// response, which is a head of one line of JSON, the bytes of the HTML and the bytes of the page data.

import { ENTRY_HEAD_LIMIT_BYTES, ENTRY_LIMIT_BYTES, ENTRY_TARGET_LIMIT_BYTES } from './constants.ts'
import type { RedirectStatus } from './errors/control-flow.ts'
import { ERROR_CATALOGUE, type ErrorCode } from './errors/error-catalogue.ts'
import type { FeedPosition } from './invalidation.ts'
import { isRecord, parseJson } from './json/json-value.ts'
import { REDIRECT_STATUSES } from './page-data.ts'
import type { PolicyHeader } from './policy/content-security-policy.ts'
import { isParams, type RouteParams } from './route-params.ts'

/** Path on the inner port of renderers; needs the stack's token. */
export const ENTRY_PATH = '/internal/entry'
/** Media type of the response. */
export const ENTRY_TYPE = 'application/json'

/** The tags of HTML and page data that the gateway holds. */
export interface EntryTags {
  htmlEtag: string
  dataEtag: string
}

/** An entry is HTML and page data of one render; the page data of Next.js is a separate entry (X2). */
export type EntryForm = 'entry' | 'next-data'

export interface EntryRequest {
  as: EntryForm
  /** A page that is the same for all clients, or the screen `/404`. */
  pattern: string
  params: RouteParams
  /** In a site with locales. */
  locale?: string | undefined
  /** What the gateway knew of the feed before it sent the request. */
  position: FeedPosition
  have?: EntryTags | undefined
}

/** What a document of an entry has in addition to its bytes; absent members are not sent. */
export interface EntryDocument {
  policy?: PolicyHeader | undefined
  /** The Link header. */
  link?: string | undefined
}

export type EntryOutcome =
  | ({ kind: 'page'; status: 200 | 404 } & EntryTags & EntryDocument)
  /** The page data of Next.js. No HTML. `of`: the tag of the page data of the same render in the framework's own form. */
  | { kind: 'next-data'; dataEtag: string; of: string }
  /** `location` is that of the document, encoded for the header; the data bytes are the JSON of W2 or X2. No HTML. */
  | { kind: 'redirect'; status: RedirectStatus; location: string }
  /** The gateway requests the screen `/404`. No bytes. */
  | { kind: 'not-found' }
  /** `have` is current. No bytes. */
  | { kind: 'unchanged' }
  /** `fallback: true` and not rendered yet; the renderer has begun the render. The gateway passes on the request. */
  | { kind: 'shell' }
  /** Larger than ENTRY_LIMIT_BYTES. The gateway passes on the request. */
  | { kind: 'too-large' }
  /**
   * Stored by no cache. The HTML is the app folder's screen; no HTML: the default screen. Page data: the JSON of E2,
   * made of code and digest.
   */
  | ({ kind: 'error'; code: ErrorCode; digest?: string | undefined } & EntryDocument)

export interface EntryFacts {
  /** The version of the renderer: the gateway stores the entry under this version. */
  version: string
  /** How the renderer's own cache served the entry. */
  verdict: 'HIT' | 'STALE' | 'MISS'
  /** What the renderer knew of the feed. `away`: the gateway sends the entry as STALE and does not store it. */
  confirmation: 'confirmed' | 'away' | 'behind'
  /** Milliseconds since the render. Clocks of processes differ: an age, never a time. */
  ageMs: number
  /** Older than this is stale; null: never by age. */
  freshMs: number | null
  tags: readonly string[]
}

export type EntryHead = EntryFacts & EntryOutcome & { htmlBytes: number; dataBytes: number }

export interface Entry {
  head: EntryHead
  html: Buffer
  data: Buffer
}

/** Path on the inner port of renderers: the pages whose paths are known; needs the stack's token. */
export const PATHS_PATH = '/internal/paths'
/** Most paths of one response, and of one warm-up. */
export const PATHS_LIMIT = 200

/** Pages that the gateway can fill before a client requests them. */
export interface KnownPaths {
  version: string
  paths: { pattern: string; params: RouteParams; locale?: string }[]
}

/** Parses a response with known paths; undefined for a value of another shape. */
export function parseKnownPaths(value: unknown): KnownPaths | undefined {
  if (!isRecord(value) || typeof value.version !== 'string' || !Array.isArray(value.paths)) return undefined
  const { version, paths } = value
  const isPath = (each: unknown) =>
    isRecord(each) &&
    typeof each.pattern === 'string' &&
    isParams(each.params) &&
    (each.locale === undefined || typeof each.locale === 'string')
  // Every path is checked.
  return paths.every(isPath) ? { version, paths: paths as KnownPaths['paths'] } : undefined
}

/** The target of the request; undefined for params that are too long for a target: the gateway passes on the request. */
export function formatEntryTarget({ as, pattern, params, locale, position, have }: EntryRequest): string | undefined {
  const query = new URLSearchParams({ as, route: pattern, params: JSON.stringify(params) })
  if (locale !== undefined) query.set('locale', locale)
  if (position.epoch !== undefined) query.set('epoch', position.epoch)
  query.set('generation', String(position.generation))
  if (have) query.set('have', `${have.htmlEtag},${have.dataEtag}`)
  const target = `${ENTRY_PATH}?${query}`
  return target.length > ENTRY_TARGET_LIMIT_BYTES ? undefined : target
}

/** Parses the query of a request for an entry; a text names the broken rule. */
export function parseEntryQuery(search: string): EntryRequest | string {
  const query = new URLSearchParams(search)
  const [pattern, epoch] = [query.get('route'), query.get('epoch') ?? undefined]
  const as = ENTRY_FORMS.find((known) => known === query.get('as'))
  if (!as) return 'as: must be "entry" or "next-data"'
  if (pattern === null || !pattern.startsWith('/')) return 'route: must be the pattern of a page'
  const params = parseJson(query.get('params') ?? '')
  if (!isParams(params)) return 'params: must be JSON of the params of a route'
  const generation = Number(query.get('generation') || NaN)
  if (!isCount(generation)) return 'generation: must be a whole number'
  const have = query.get('have')
  const page = { as, pattern, params, locale: query.get('locale') ?? undefined, position: { epoch, generation } }
  if (have === null) return page
  const [htmlEtag = '', dataEtag = '', ...more] = have.split(',')
  if (!isTag(htmlEtag) || !isTag(dataEtag) || more.length > 0) return 'have: must be two entity tags'
  return { ...page, have: { htmlEtag, dataEtag } }
}

const ENTRY_FORMS: readonly EntryForm[] = ['entry', 'next-data']

const NO_BYTES = Buffer.alloc(0)

/** The bytes of an entry. An entry above a limit becomes one of kind `too-large`. */
export function formatEntry(
  facts: EntryFacts,
  outcome: EntryOutcome,
  { html = NO_BYTES, data = NO_BYTES }: { html?: Buffer; data?: Buffer } = {},
): Buffer {
  const lengths = { htmlBytes: html.length, dataBytes: data.length }
  const head = Buffer.from(`${JSON.stringify({ ...facts, ...outcome, ...lengths } satisfies EntryHead)}\n`)
  const bytes = head.length + html.length + data.length
  if (head.length <= ENTRY_HEAD_LIMIT_BYTES && bytes <= ENTRY_LIMIT_BYTES)
    return Buffer.concat([head, html, data], bytes)
  // Tags may be what is too large.
  return formatEntry({ ...facts, tags: [] }, { kind: 'too-large' })
}

/** Parses the whole response; undefined where a byte is missing or too many, or the head breaks a rule. */
export function parseEntry(bytes: Buffer): Entry | undefined {
  if (bytes.length > ENTRY_LIMIT_BYTES) return undefined
  const end = bytes.subarray(0, ENTRY_HEAD_LIMIT_BYTES).indexOf('\n')
  if (end === -1) return undefined
  const head = parseHead(parseJson(bytes.toString('utf8', 0, end)))
  if (!head) return undefined
  const [htmlAt, dataAt] = [end + 1, end + 1 + head.htmlBytes]
  if (dataAt + head.dataBytes !== bytes.length) return undefined
  return { head, html: bytes.subarray(htmlAt, dataAt), data: bytes.subarray(dataAt) }
}

function parseHead(value: unknown): EntryHead | undefined {
  if (!isRecord(value)) return undefined
  const { version, verdict, confirmation, ageMs, freshMs, tags, htmlBytes, dataBytes } = value
  if (typeof version !== 'string' || version === '') return undefined
  const knownVerdict = VERDICTS.find((known) => known === verdict)
  const knownConfirmation = CONFIRMATIONS.find((known) => known === confirmation)
  if (!knownVerdict || !knownConfirmation) return undefined
  if (!isDuration(ageMs) || !(freshMs === null || isDuration(freshMs))) return undefined
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string')) return undefined
  if (!isCount(htmlBytes) || !isCount(dataBytes)) return undefined
  const outcome = parseOutcome(value)
  if (!outcome || !hasBytesOf(outcome.kind, htmlBytes, dataBytes)) return undefined
  const facts = { version, verdict: knownVerdict, confirmation: knownConfirmation, ageMs, freshMs, tags }
  return { ...facts, ...outcome, htmlBytes, dataBytes }
}

const VERDICTS = ['HIT', 'STALE', 'MISS'] as const
const CONFIRMATIONS = ['confirmed', 'away', 'behind'] as const

function parseOutcome(value: Record<string, unknown>): EntryOutcome | undefined {
  const { kind } = value
  switch (kind) {
    case 'page': {
      const { status, htmlEtag, dataEtag } = value
      const document = parseDocument(value)
      if ((status !== 200 && status !== 404) || !isTag(htmlEtag) || !isTag(dataEtag) || !document) return undefined
      return { kind, status, htmlEtag, dataEtag, ...document }
    }
    case 'next-data':
      return isTag(value.dataEtag) && isTag(value.of) ? { kind, dataEtag: value.dataEtag, of: value.of } : undefined
    case 'redirect': {
      const status = REDIRECT_STATUSES.find((known) => known === value.status)
      if (status === undefined || !isHeaderText(value.location)) return undefined
      return { kind, status, location: value.location }
    }
    case 'not-found':
    case 'unchanged':
    case 'shell':
    case 'too-large':
      return { kind }
    case 'error': {
      const { code, digest } = value
      const document = parseDocument(value)
      if (!isErrorCode(code) || !(digest === undefined || isHeaderText(digest)) || !document) return undefined
      return { kind, code, ...(digest !== undefined && { digest }), ...document }
    }
    default:
      return undefined
  }
}

function parseDocument({ policy, link }: Record<string, unknown>): EntryDocument | undefined {
  if (link !== undefined && !isHeaderText(link)) return undefined
  const linked = link === undefined ? {} : { link }
  if (policy === undefined) return linked
  if (!isRecord(policy) || !isHeaderText(policy.value)) return undefined
  const { name, value } = policy
  if (name !== 'content-security-policy' && name !== 'content-security-policy-report-only') return undefined
  return { ...linked, policy: { name, value } }
}

function hasBytesOf(kind: EntryOutcome['kind'], htmlBytes: number, dataBytes: number): boolean {
  if (kind === 'page') return htmlBytes > 0 && dataBytes > 0
  if (kind === 'redirect' || kind === 'next-data') return htmlBytes === 0 && dataBytes > 0
  return dataBytes === 0 && (kind === 'error' || htmlBytes === 0)
}

/** SECURITY: what becomes a header has no line break and no character that no header may have. */
function isHeaderText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)
}

function isTag(value: unknown): value is string {
  return typeof value === 'string' && /^"[\w-]{1,64}"$/.test(value)
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CATALOGUE, value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
