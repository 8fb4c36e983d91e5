// Parsers of the blocks of portico.config.ts that only data is in: `publicEnv`, `env`, `i18n`, `images` and
// `rewriteOrigins`; and how all parsers report faults.

import type {
  EnvRule,
  I18n,
  ImageSettings,
  LocalPattern,
  PublicEnvRule,
  RemotePattern,
  RewriteOrigin,
  RewriteRule,
} from '@portico/shared/wire/build-output.ts'
import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { didYouMean } from '@portico/shared/wire/nearest-name.ts'
import { splitFixedOrigin } from '@portico/shared/wire/patterns/destination.ts'
import { BuildError, type RefuseFault } from '../build-error.ts'

/** Adds a fault; `field` is a path such as `redirects[0].source`. */
export type Refuse = (field: string, value: unknown, rule: string) => void

/** Refuses members that Portico would ignore. */
export function refuseUnknown(field: string, value: Record<string, unknown>, known: readonly string[], refuse: Refuse) {
  for (const [name, member] of Object.entries(value))
    if (!known.includes(name))
      refuse(`${field}.${name}`, member, `is not a member of this rule${meantOrKnown(name, known)}`)
}

/** The end of a rule about an unknown name: the known name that was probably meant, else all of them. */
export function meantOrKnown(name: string, known: readonly string[]): string {
  return didYouMean(name, known) || `; known: ${known.join(', ')}`
}

/** Whether Node accepts a header value; Node would throw on every request for any other. */
export function isHeaderText(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

// The `publicEnv` and `env` blocks: values of the environment that services read at start (O8). Browsers may read those of
// `publicEnv` and never receive those of `env`.

export function parsePublicEnv(value: unknown, refuse: Refuse): Record<string, PublicEnvRule> {
  return parseRules<PublicEnvRule>('publicEnv', value, refuse, (field, rule, isValid) => {
    refuseUnknown(field, rule, ['type', 'default', 'optional'], refuse)
    if (isValid && rule.default !== undefined && !isValid(rule.default))
      refuse(`${field}.default`, rule.default, `must be a ${String(rule.type)}`)
  })
}

export function parseEnv(value: unknown, publicEnv: unknown, refuse: Refuse): Record<string, EnvRule> {
  // SECURITY: an author may have written a secret where a rule belongs; the message does not repeat the secret.
  const refuseHidden: Refuse = (field, _value, rule) => refuse(field, '(not shown)', rule)
  return parseRules<EnvRule>('env', value, refuseHidden, (field, { default: fallback, ...rule }) => {
    refuseUnknown(field, rule, ['type', 'optional'], refuseHidden)
    if (fallback !== undefined)
      refuseHidden(`${field}.default`, fallback, 'would be in the build; use optional: true, and ?? where it is read')
    const name = field.slice('env.'.length)
    if (isRecord(publicEnv) && Object.hasOwn(publicEnv, name))
      refuse(field, name, 'is in publicEnv, too, which browsers read; remove one of them')
  })
}

type Rule = Record<string, unknown>

/** Checks what both blocks have in common; `check` checks the rest of one rule. */
function parseRules<T extends EnvRule>(
  block: 'publicEnv' | 'env',
  value: unknown,
  refuse: Refuse,
  check: (field: string, rule: Rule, isValid: ValueCheck | undefined) => void,
): Record<string, T> {
  if (value === undefined) return {}
  if (!isRecord(value)) {
    refuse(block, value, 'must be an object')
    return {}
  }
  for (const [name, rule] of Object.entries(value)) {
    const field = `${block}.${name}`
    if (!/^[A-Z][A-Z0-9_]*$/.test(name)) refuse(field, name, 'must be a name like SITE_NAME')
    if (!isRecord(rule)) {
      refuse(`${field}.type`, rule, TYPE_RULE)
      continue
    }
    if (!['undefined', 'boolean'].includes(typeof rule.optional))
      refuse(`${field}.optional`, rule.optional, 'must be true or false')
    const isValid = Object.hasOwn(TYPE_CHECKS, String(rule.type)) ? TYPE_CHECKS[String(rule.type)] : undefined
    if (!isValid) refuse(`${field}.type`, rule.type, TYPE_RULE)
    check(field, rule, isValid)
  }
  // The cast repeats what the loop checked; a fault discards the config.
  return value as Record<string, T>
}

const TYPE_RULE = 'must be "string", "number", "boolean" or "url"'
type ValueCheck = (value: unknown) => boolean
const TYPE_CHECKS: Readonly<Record<string, ValueCheck>> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  url: (value) => typeof value === 'string' && URL.canParse(value),
} satisfies Record<PublicEnvRule['type'], ValueCheck>

/** Each locale makes every page without segments once more. */
const MOST_LOCALES = 100

/**
 * SECURITY: a locale is a segment of paths and a name of folders. Most are language tags; as in Next.js, sites also have
 * `en_US`, and names such as `__default` for paths without a locale.
 */
const LOCALE = /^\w(?:[\w-]{0,34}\w)?$/
/** First segments of other paths. */
const TAKEN: ReadonlyMap<string, string> = new Map([
  ['api', 'is the first segment of API handlers'],
  ['_next', 'is the first segment of files'],
  ['_portico', 'is the first segment of files'],
])

const DOMAINS =
  'is not supported: the host does not decide the locale; remove the field, and serve each domain as a site with its own defaultLocale'

// The `i18n` of portico.config.* and next.config.*: the locales of the site's paths (X14).

/** Undefined for a site without locales. */
export function parseI18n(value: unknown, refuse: Refuse): I18n | undefined {
  if (value === undefined || value === null) return undefined
  if (!isRecord(value)) {
    refuse('i18n', value, 'must be { locales, defaultLocale }')
    return undefined
  }
  const { domains, ...members } = value
  if (domains !== undefined) refuse('i18n.domains', domains, DOMAINS)
  refuseUnknown('i18n', members, ['locales', 'defaultLocale', 'localeDetection'], refuse)
  const locales = parseLocales(value.locales, refuse)
  const { defaultLocale, localeDetection } = value
  if (localeDetection !== undefined && typeof localeDetection !== 'boolean')
    refuse('i18n.localeDetection', localeDetection, 'must be true or false')
  if (!locales) return undefined
  if (typeof defaultLocale !== 'string' || !locales.includes(defaultLocale)) {
    refuse('i18n.defaultLocale', defaultLocale, `must be one of i18n.locales: ${locales.join(', ')}`)
    return undefined
  }
  const others = locales.filter((locale) => locale !== defaultLocale)
  return { locales: [defaultLocale, ...others], defaultLocale, localeDetection: localeDetection !== false }
}

function parseLocales(value: unknown, refuse: Refuse): string[] | undefined {
  const count = Array.isArray(value) ? value.length : 0
  if (!Array.isArray(value) || count === 0 || count > MOST_LOCALES) {
    refuse('i18n.locales', value, `must be a list of 1 to ${MOST_LOCALES} locales`)
    return undefined
  }
  let isRight = true
  const names = new Set<string>()
  for (const [index, locale] of value.entries()) {
    const field = `i18n.locales[${index}]`
    const fault = faultOf(locale, names)
    if (fault !== undefined) refuse(field, locale, fault)
    isRight &&= fault === undefined
    names.add(String(locale).toLowerCase())
  }
  return isRight ? (value as string[]) : undefined
}

function faultOf(locale: unknown, before: ReadonlySet<string>): string | undefined {
  if (typeof locale !== 'string' || !LOCALE.test(locale))
    return 'must be a name of letters, digits, "-" and "_", such as "en" or "pt-BR"'
  const lower = locale.toLowerCase()
  const taken = TAKEN.get(lower)
  if (taken !== undefined) return taken
  return before.has(lower) ? 'is listed twice; upper and lower case are not distinguished' : undefined
}

/** The widest image that the image service encodes, in pixels. */
const WIDEST = 16_384

type Check = (value: unknown) => string | undefined

const integer =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? undefined
      : `must be a whole number from ${least} to ${most}`
const listOf =
  (check: Check, most: number): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > most)
      return `must be a list of 1 to ${most} entries`
    return value.map(check).find((rule) => rule !== undefined)
  }
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value) ? undefined : `must be one of ${values.map((each) => JSON.stringify(each)).join(', ')}`

const CHECKS: Readonly<Record<string, Check>> = {
  deviceSizes: listOf(integer(1, WIDEST), 25),
  imageSizes: listOf(integer(1, WIDEST), 25),
  qualities: listOf(integer(1, 100), 20),
  formats: listOf(oneOf('image/avif', 'image/webp'), 2),
  minimumCacheTTL: integer(0, 31_536_000),
  remotePatterns: checkRemotePatterns,
  localPatterns: checkLocalPatterns,
  maximumRedirects: integer(0, 20),
  maximumResponseBody: integer(1, 2 ** 31),
  dangerouslyAllowLocalIP: oneOf(true, false),
  dangerouslyAllowSVG: oneOf(true, false),
  contentDispositionType: oneOf('inline', 'attachment'),
  contentSecurityPolicy: (value) => (isHeaderText(value) ? undefined : 'must be one line of Latin-1 text'),
  maximumPixels: integer(1, 500_000_000),
  effort: (value) =>
    isRecord(value)
      ? (integer(0, 9)(value.avif ?? 0) ?? integer(0, 6)(value.webp ?? 0))
      : 'must be { avif: 0 to 9, webp: 0 to 6 }',
} satisfies Record<keyof ImageSettings, Check>

export function parseImageSettings(value: unknown, refuse: Refuse): ImageSettings {
  if (value === undefined) return DEFAULT_IMAGES
  if (!isRecord(value)) {
    refuse('images', value, 'must be an object')
    return DEFAULT_IMAGES
  }
  for (const [name, member] of Object.entries(value)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined
    const rule = check ? check(member) : `is not a setting${meantOrKnown(name, Object.keys(CHECKS))}`
    if (rule) refuse(`images.${name}`, member, rule)
    else refuseUnknownMembers(name, member, refuse)
  }
  // The cast repeats the checks; a fault discards the config.
  const given = value as Partial<ImageSettings>
  const sorted = (list: number[]) => [...new Set(list)].sort((left, right) => left - right)
  const images = { ...DEFAULT_IMAGES, ...given, effort: { ...DEFAULT_IMAGES.effort, ...given.effort } }
  if (!Array.isArray(images.deviceSizes) || !Array.isArray(images.imageSizes)) return DEFAULT_IMAGES
  return { ...images, deviceSizes: sorted(images.deviceSizes), imageSizes: sorted(images.imageSizes) }
}

/** The members of the objects in a setting. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  remotePatterns: ['protocol', 'hostname', 'port', 'pathname', 'search'],
  localPatterns: ['pathname', 'search'],
  effort: ['avif', 'webp'],
}

function refuseUnknownMembers(name: string, value: unknown, refuse: Refuse): void {
  const known = MEMBERS[name]
  if (!known) return
  const items = Array.isArray(value)
    ? value.map((item, index) => [`[${index}]`, item] as const)
    : [['', value] as const]
  for (const [place, item] of items) if (isRecord(item)) refuseUnknown(`images.${name}${place}`, item, known, refuse)
}

const PROTOCOLS: readonly unknown[] = [undefined, 'http', 'https']

function checkRemotePatterns(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length > 50) return 'must be a list of at most 50 patterns'
  const isPattern = (item: unknown): item is RemotePattern =>
    isRecord(item) &&
    typeof item.hostname === 'string' &&
    item.hostname !== '' &&
    !item.hostname.includes('/') &&
    PROTOCOLS.includes(item.protocol) &&
    ['port', 'pathname', 'search'].every((name) => ['undefined', 'string'].includes(typeof item[name]))
  return value.every(isPattern)
    ? undefined
    : 'must be a list of { hostname, protocol?, port?, pathname?, search? }; hostname has no protocol and no path'
}

function checkLocalPatterns(value: unknown): string | undefined {
  const isPattern = (item: unknown): item is LocalPattern =>
    isRecord(item) && ['pathname', 'search'].every((name) => ['undefined', 'string'].includes(typeof item[name]))
  return Array.isArray(value) && value.length <= 25 && value.every(isPattern)
    ? undefined
    : 'must be a list of at most 25 { pathname?, search? }'
}

/** RFC 9110 section 5.6.2: the name of a cookie is a token. */
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

// The `rewriteOrigins`: the credentials that pass to other hosts, to which rewrites lead (X4), and the hosts to which
// middleware may rewrite without a rule (X15).

/** The origins to which rules lead, as `URL.origin` writes them. */
export function originsOf(rules: readonly Pick<RewriteRule, 'destination'>[]): Set<string> {
  return new Set(rules.flatMap(({ destination }) => splitFixedOrigin(destination)?.origin ?? []))
}

export function parseRewriteOrigins(value: unknown, refuse: Refuse): Record<string, RewriteOrigin> {
  if (value === undefined) return {}
  if (!isRecord(value)) {
    refuse('rewriteOrigins', value, 'must be an object with origins as keys')
    return {}
  }
  const parsed: Record<string, RewriteOrigin> = {}
  for (const [origin, given] of Object.entries(value)) {
    const field = `rewriteOrigins["${origin}"]`
    if (splitFixedOrigin(origin)?.origin !== origin)
      refuse(field, given, 'must be an origin as the key, written as "https://example.org"')
    else if (!isRecord(given)) refuse(field, given, 'must be an object such as { cookies: ["session"] }')
    else parsed[origin] = parseOrigin(field, given, refuse)
  }
  return parsed
}

/** Passes a fault for each origin to which no rewrite leads, in a site without middleware. */
export function refuseUnusedOrigins(
  { rewrites, rewriteOrigins }: { rewrites: readonly RewriteRule[]; rewriteOrigins: Record<string, RewriteOrigin> },
  { middleware, configFile = 'portico.config.ts' }: { middleware?: unknown; configFile?: string },
  refuse: RefuseFault,
): void {
  if (middleware !== undefined) return
  const used = originsOf(rewrites)
  for (const [origin, given] of Object.entries(rewriteOrigins)) {
    if (used.has(origin)) continue
    const known = used.size === 0 ? 'no rewrite leads to another host' : `known: ${[...used].join(', ')}`
    const field = `rewriteOrigins["${origin}"] = ${JSON.stringify(given)}`
    refuse(new BuildError(`${configFile}: ${field}: is not the origin of a rewrite’s destination; ${known}`))
  }
}

function parseOrigin(field: string, given: Record<string, unknown>, refuse: Refuse): RewriteOrigin {
  refuseUnknown(field, given, ['cookies', 'authorization'], refuse)
  const { cookies = [], authorization = false } = given
  const areNames = Array.isArray(cookies) && cookies.every((name) => typeof name === 'string' && COOKIE_NAME.test(name))
  if (!areNames) refuse(`${field}.cookies`, cookies, 'must be a list of names of cookies')
  if (typeof authorization !== 'boolean') refuse(`${field}.authorization`, authorization, 'must be true or false')
  return { cookies: areNames ? cookies : [], authorization: authorization === true }
}
