// The `config` of an API handler (A8): the members of the Pages Router under `api`, and next to them Portico's own. The
// build checks what the file says as literals; the actions service checks the values when it loads the handler.

import { ACTION_FIRST_BYTE_MS, DEFAULT_BODY_LIMIT_BYTES, HANDLER_TIMEOUT_MS } from '../constants.ts'
import type { Semantics } from '../semantics.ts'

/** The export `config` of a file in `pages/api`; every member is optional. */
export interface ApiConfig {
  /** Limit of the body, 1 MiB by default. */
  bodyLimitBytes?: number
  /** false: the handler reads the body of the request itself, without a limit. */
  bodyParser?: boolean
  /** true: pages of other origins may call the handler, which then responds to OPTIONS, too. */
  crossOrigin?: boolean
  /** Limit for the head of the response, 30 s by default, 60 s at most. */
  timeoutMs?: number
  /** The members of the Pages Router. */
  api?: {
    /** Sizes are bytes, or a text such as `'500kb'` and `'1mb'` (1024 kb). */
    bodyParser?: boolean | { sizeLimit?: number | string }
    /** A longer response is sent, and reported in the log. true: 4 MiB, the default in
     * compatibility mode; false, the default otherwise: no limit. */
    responseLimit?: boolean | number | string
    /** true: another part responds after the handler returned. */
    externalResolver?: boolean
  }
}

/** What the actions service reads, with all defaults. */
export interface ApiSettings {
  /** undefined: the handler reads the body itself. */
  bodyLimitBytes: number | undefined
  crossOrigin: boolean
  timeoutMs: number
  responseLimitBytes: number | undefined
  externalResolver: boolean
  /** Called with a web Request, and returns the Response. */
  isEdge: boolean
}

/** Receives a member such as `config.api.bodyParser`, and its rule with the remedy. */
type RefuseMember = (member: string, value: unknown, rule: string) => void

/** `responseLimit: true`, and the default with `apiConfig` of the semantics. */
export const DEFAULT_RESPONSE_LIMIT_BYTES = 4_194_304
/** The rule of `timeoutMs` for a handler and for an action. */
export const TIMEOUT_RULE = `must be a whole number, 1 to ${ACTION_FIRST_BYTE_MS}: the gateway waits no longer for the beginning of a response`

const MEMBERS = {
  config: ['bodyLimitBytes', 'bodyParser', 'crossOrigin', 'timeoutMs', 'api'],
  api: ['bodyParser', 'responseLimit', 'externalResolver'],
  bodyParser: ['sizeLimit'],
} as const

/**
 * Members for hosts of Next.js. The build refuses them, or reports in compatibility mode that they have no effect on where
 * the handler runs.
 */
const HOSTS: ReadonlyMap<string, string> = new Map([
  ['runtime', 'is not supported: every handler runs in Node; remove the member'],
  ['maxDuration', 'is not supported; use timeoutMs, in milliseconds'],
  ['regions', 'is not supported: the operator decides where the services run; remove the member'],
])

/** Handlers of this runtime are called with a Request, on Node as well. */
function isEdgeRuntime(runtime: unknown): boolean {
  return runtime === 'edge' || runtime === 'experimental-edge'
}

function runtimeOf(config: unknown): unknown {
  return typeof config === 'object' && config !== null && 'runtime' in config ? config.runtime : undefined
}

function withoutHosts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !HOSTS.has(name)))
}

/** Checks a config. A member of Portico whose value is undefined is not checked and has its default. */
export function parseApiConfig(
  value: unknown,
  { apiConfig = false }: Pick<Semantics, 'apiConfig'>,
  refuse: RefuseMember,
): ApiSettings {
  if (!apiConfig && typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) {
      const rule = HOSTS.get(name)
      if (rule !== undefined) refuse(`config.${name}`, member, rule)
    }
  const config = parseObject('config', withoutHosts(value), MEMBERS.config, refuse)
  const api = parseObject('config.api', config.api, MEMBERS.api, refuse)
  const isEdge = apiConfig && isEdgeRuntime(runtimeOf(value))
  return {
    bodyLimitBytes: parseBodyLimit({ config, api, isEdge }, refuse),
    crossOrigin: parseBoolean('config.crossOrigin', config.crossOrigin, refuse) ?? false,
    timeoutMs: parseTimeout(config.timeoutMs, refuse) ?? HANDLER_TIMEOUT_MS,
    responseLimitBytes: parseResponseLimit(api.responseLimit, refuse),
    externalResolver: parseBoolean('config.api.externalResolver', api.externalResolver, refuse) ?? false,
    isEdge,
  }
}

type Members = Readonly<Record<string, unknown>>

function parseObject(member: string, value: unknown, known: readonly string[], refuse: RefuseMember): Members {
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse(member, value, `must be an object with ${known.join(', ')}`)
    return {}
  }
  const members: Members = { ...value }
  for (const [name, each] of Object.entries(members))
    if (!known.includes(name)) refuse(`${member}.${name}`, each, `is not a member; known: ${known.join(', ')}`)
  return members
}

const NO_EFFECT = 'has no effect with the runtime "edge": such a handler reads the request itself'

/** One limit from the flat form or from `api.bodyParser`; both together could contradict each other. */
function parseBodyLimit(
  { config, api, isEdge }: { config: Members; api: Members; isEdge: boolean },
  refuse: RefuseMember,
): number | undefined {
  const isObject = typeof api.bodyParser === 'object'
  const parser = isObject ? parseObject('config.api.bodyParser', api.bodyParser, MEMBERS.bodyParser, refuse) : {}
  if (!isObject) parseBoolean('config.api.bodyParser', api.bodyParser, refuse)
  parseBoolean('config.bodyParser', config.bodyParser, refuse)
  const own = parseWhole('config.bodyLimitBytes', config.bodyLimitBytes, Number.MAX_SAFE_INTEGER, refuse)
  const sizeLimit = parseSize('config.api.bodyParser.sizeLimit', parser.sizeLimit, refuse)
  if (sizeLimit !== undefined && isEdge)
    refuse('config.api.bodyParser.sizeLimit', sizeLimit, `${NO_EFFECT}; remove the member`)
  const isOff = config.bodyParser === false || api.bodyParser === false
  if (config.bodyParser !== undefined && api.bodyParser !== undefined)
    refuse('config.bodyParser', config.bodyParser, 'is given in config.api, too; remove one of them')
  if (own !== undefined && sizeLimit !== undefined)
    refuse('config.bodyLimitBytes', own, 'is given as config.api.bodyParser.sizeLimit, too; remove one of them')
  if (own !== undefined && isOff)
    refuse('config.bodyLimitBytes', own, 'has no effect with bodyParser: false; remove one of them')
  return isOff ? undefined : (own ?? sizeLimit ?? DEFAULT_BODY_LIMIT_BYTES)
}

function parseResponseLimit(value: unknown, refuse: RefuseMember): number | undefined {
  if (value === undefined || value === false) return undefined
  return value === true ? DEFAULT_RESPONSE_LIMIT_BYTES : parseSize('config.api.responseLimit', value, refuse)
}

function parseBoolean(member: string, value: unknown, refuse: RefuseMember): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  refuse(member, value, 'must be true or false')
  return undefined
}

function parseTimeout(value: unknown, refuse: RefuseMember): number | undefined {
  if (value === undefined || isTimeout(value)) return value
  refuse('config.timeoutMs', value, TIMEOUT_RULE)
  return undefined
}

/** Whether a value keeps TIMEOUT_RULE. */
export function isTimeout(value: unknown): value is number {
  return isWhole(value, ACTION_FIRST_BYTE_MS)
}

function parseWhole(member: string, value: unknown, most: number, refuse: RefuseMember): number | undefined {
  if (value === undefined || isWhole(value, most)) return value
  refuse(member, value, `must be a whole number, 1 to ${most}`)
  return undefined
}

function isWhole(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

function parseSize(member: string, value: unknown, refuse: RefuseMember): number | undefined {
  if (value === undefined) return undefined
  const [, digits, unit = 'b'] = /^(\d+(?:\.\d+)?) ?(b|kb|mb|gb)?$/i.exec(String(value)) ?? []
  const bytes = Math.floor(Number(digits) * (UNITS[unit.toLowerCase()] ?? 1))
  if (['number', 'string'].includes(typeof value) && bytes >= 1 && Number.isSafeInteger(bytes)) return bytes
  refuse(member, value, 'must be a number of bytes, or a text such as "500kb" or "1mb"')
  return undefined
}
