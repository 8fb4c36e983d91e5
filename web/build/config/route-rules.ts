// The `redirects`, `rewrites` and `headers` of portico.config.ts, and the matchers of middleware.

import type { HeaderRule, MiddlewareMatcher, RedirectRule, RewriteRule } from '@portico/shared/wire/build-output.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { compileCondition, type HasCondition, type StoredCondition } from '@portico/shared/wire/patterns/conditions.ts'
import { destinationNames, splitFixedOrigin } from '@portico/shared/wire/patterns/destination.ts'
import { compilePattern } from '@portico/shared/wire/patterns/path-patterns.ts'
import { isReservedHeader } from '@portico/shared/wire/patterns/reserved-headers.ts'
import { namesOf, type SourceRule } from '@portico/shared/wire/patterns/rule-index.ts'
import { isHeaderText, type Refuse, refuseUnknown } from './fields.ts'

type Rule = Record<string, unknown>
type RuleParser<T> = (field: string, rule: Rule, refuse: Refuse) => T | undefined

const CONDITIONS = ['has', 'missing']
const MEMBERS = {
  redirect: ['source', 'destination', 'permanent', 'statusCode', ...CONDITIONS, 'basePath', 'locale'],
  rewrite: ['source', 'destination', ...CONDITIONS, 'basePath', 'locale'],
  header: ['source', 'headers', ...CONDITIONS, 'basePath', 'locale'],
  matcher: ['source', ...CONDITIONS, 'locale'],
  condition: ['type', 'key', 'value'],
  host: ['type', 'value'],
  field: ['key', 'value'],
}

export function parseRules<T>(field: string, value: unknown, refuse: Refuse, parse: RuleParser<T>): T[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    refuse(field, value, 'must be a list')
    return []
  }
  return value.flatMap((rule: unknown, index) => {
    const name = `${field}[${index}]`
    if (isRecord(rule)) return parse(name, rule, refuse) ?? []
    refuse(name, rule, 'must be an object')
    return []
  })
}

/** A list, or the lists of Next.js: before files, after files (where a plain list belongs), after all pages. */
export function parseRewrites(value: unknown, refuse: Refuse): RewriteRule[] {
  if (!isRecord(value)) return parseRules('rewrites', value, refuse, parseRewrite)
  refuseUnknown('rewrites', value, ['beforeFiles', 'afterFiles', 'fallback'], refuse)
  const listed = (name: string) => parseRules(`rewrites.${name}`, value[name], refuse, parseRewrite)
  return [
    ...listed('beforeFiles').map((rule) => ({ ...rule, phase: 'beforeFiles' as const })),
    ...listed('afterFiles'),
    ...listed('fallback').map((rule) => ({ ...rule, phase: 'fallback' as const })),
  ]
}

const REDIRECT_STATUSES: readonly RedirectRule['status'][] = [301, 302, 303, 307, 308]

export function parseRedirect(field: string, rule: Rule, refuse: Refuse): RedirectRule | undefined {
  refuseUnknown(field, rule, MEMBERS.redirect, refuse)
  const source = parseSource(field, rule, refuse)
  if (!source) return undefined
  const destination = parseDestination(field, rule, source, refuse)
  const { permanent, statusCode } = rule
  const given = typeof permanent === 'boolean' ? (permanent ? 308 : 307) : Number(statusCode)
  const status = REDIRECT_STATUSES.find((each) => each === given)
  if (status === undefined || (permanent === undefined) === (statusCode === undefined))
    refuse(field, rule, 'must have either permanent (true or false) or statusCode (301, 302, 303, 307 or 308)')
  if (destination === undefined || status === undefined) return undefined
  const { text } = compilePattern(source.source)
  if (text !== undefined && !source.has && !source.missing && text === destination.toLowerCase())
    refuse(`${field}.destination`, destination, 'leads to source, which does not distinguish upper and lower case')
  return { ...source, destination, status }
}

function parseRewrite(field: string, rule: Rule, refuse: Refuse): RewriteRule | undefined {
  refuseUnknown(field, rule, MEMBERS.rewrite, refuse)
  const source = parseSource(field, rule, refuse)
  if (!source) return undefined
  const destination = parseDestination(field, rule, source, refuse, true)
  if (destination === undefined) return undefined
  if (isPath(destination) && source.basePath === false)
    refuse(`${field}.basePath`, false, 'is for rewrites to other hosts')
  return { ...source, destination }
}

export function parseHeaderRule(field: string, rule: Rule, refuse: Refuse): HeaderRule | undefined {
  refuseUnknown(field, rule, MEMBERS.header, refuse)
  const source = parseSource(field, rule, refuse)
  const { headers } = rule
  if (!Array.isArray(headers) || !headers.every(isHeader)) {
    refuse(
      `${field}.headers`,
      headers,
      'must be a list of { key, value } with a header name and one line of Latin-1 text',
    )
    return undefined
  }
  for (const [index, item] of headers.entries())
    refuseUnknown(`${field}.headers[${index}]`, { ...item }, MEMBERS.field, refuse)
  const reserved = headers.find(({ key }) => isReservedHeader(key.toLowerCase()))
  if (reserved) refuse(`${field}.headers`, reserved.key, 'is set by Portico; use another header name')
  if (!source) return undefined
  const names = namesOf(source)
  for (const { key } of headers)
    for (const [, used = ''] of key.matchAll(/:(\w+)/g))
      if (!names.has(used)) refuse(`${field}.headers`, key, `uses ":${used}", which neither source nor has defines`)
  return { ...source, headers }
}

/** A matcher of middleware: the source and the conditions of a rule. */
export function parseMatcher(field: string, rule: Rule, refuse: Refuse): MiddlewareMatcher | undefined {
  refuseUnknown(field, rule, MEMBERS.matcher, refuse)
  return parseSource(field, rule, refuse)
}

/** Refuses content security policies of header rules, for a site whose documents have the one of `csp` (G6, X8). */
export function refusePolicies(rules: readonly HeaderRule[], refuse: Refuse): void {
  for (const [index, { headers }] of rules.entries())
    for (const { key } of headers)
      if (/^content-security-policy(-report-only)?$/i.test(key))
        refuse(
          `headers[${index}].headers`,
          key,
          'is not set by rules: a second policy could only forbid more; use csp, or csp: false to send this one',
        )
}

/** SECURITY: a name begins with text of the author, so that a request does not decide which header it is. */
function isHeader(item: unknown): item is HeaderRule['headers'][number] {
  return (
    isRecord(item) &&
    /^[A-Za-z0-9-]+(:\w+(?!\w)[*+?]?|[A-Za-z0-9-])*$/.test(String(item.key)) &&
    isHeaderText(item.value)
  )
}

type Source = Pick<RedirectRule, 'source' | 'has' | 'missing' | 'basePath' | 'locale'>

function parseSource(field: string, rule: Rule, refuse: Refuse): Source | undefined {
  const { source, basePath, locale } = rule
  const has = parseConditions(`${field}.has`, rule.has, refuse)
  const missing = parseConditions(`${field}.missing`, rule.missing, refuse)
  if (basePath !== undefined && basePath !== false) refuse(`${field}.basePath`, basePath, 'must be false, or left out')
  if (locale !== undefined && locale !== false) refuse(`${field}.locale`, locale, 'must be false, or left out')
  try {
    if (typeof source !== 'string') throw new Error('must be a path pattern like "/old/:id"')
    compilePattern(source)
    const conditions = { ...(has && { has }), ...(missing && { missing }) }
    return { source, ...conditions, ...(basePath === false && { basePath }), ...(locale === false && { locale }) }
  } catch (error) {
    refuse(`${field}.source`, source, messageOf(error))
    return undefined
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function parseConditions(field: string, value: unknown, refuse: Refuse): HasCondition[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || !value.every(isCondition)) {
    refuse(
      field,
      value,
      'must be a list of { type: "header" | "cookie" | "query", key, value? } or { type: "host", value }',
    )
    return undefined
  }
  let isRight = true
  for (const [index, item] of value.entries()) {
    refuseUnknown(`${field}[${index}]`, { ...item }, item.type === 'host' ? MEMBERS.host : MEMBERS.condition, refuse)
    try {
      compileCondition(item)
    } catch (error) {
      isRight = false
      refuse(`${field}[${index}].value`, item.value, messageOf(error))
    }
  }
  return isRight ? value : undefined
}

function isCondition(item: unknown): item is HasCondition {
  if (!isRecord(item)) return false
  if (item.type === 'host') return typeof item.value === 'string'
  return (
    ['header', 'cookie', 'query'].includes(String(item.type)) &&
    typeof item.key === 'string' &&
    ['string', 'undefined'].includes(typeof item.value)
  )
}

function parseDestination(
  field: string,
  rule: Rule,
  source: Source,
  refuse: Refuse,
  isRewrite = false,
): string | undefined {
  const { destination } = rule
  if (typeof destination !== 'string' || !(isPath(destination) || isUrl(destination))) {
    refuse(`${field}.destination`, destination, 'must be a path beginning with one "/" or an http(s) URL')
    return undefined
  }
  const fixed = isRewrite ? parseOtherHost(field, destination, refuse) : { rest: destination }
  if (!fixed) return undefined
  const names = namesOf(source)
  const { used, decidesHost } = destinationNames(fixed.rest, names)
  // Digits may be text, as in a port or a time.
  for (const name of used)
    if (!names.has(name) && !/^\d+$/.test(name))
      refuse(
        `${field}.destination`,
        destination,
        `uses ":${name}", which neither source nor has defines; write \\\\: for a ":" that is text`,
      )
  if (decidesHost !== undefined && !isOfHost(decidesHost, source))
    refuse(
      `${field}.destination`,
      destination,
      `lets ":${decidesHost}" decide whose host it is; text with a dot such as ".example.org" must follow it`,
    )
  return destination
}

/**
 * What follows the origin of a rewrite's destination. SECURITY: the gateway connects to the host, so the build fixes it: with
 * a host of a parameter each client could choose where the gateway sends requests.
 */
function parseOtherHost(field: string, destination: string, refuse: Refuse): { rest: string } | undefined {
  if (isPath(destination)) return { rest: destination }
  const fixed = splitFixedOrigin(destination)
  if (!fixed)
    refuse(
      `${field}.destination`,
      destination,
      'must begin with a fixed host, as in "https://api.example.org/": no parameter decides the host or port of a rewrite',
    )
  else if (/(^|\/)\.{1,2}(\/|$)/.test(fixed.rest.split(/[?#]/, 1)[0]!.replace(/%2e/gi, '.')))
    refuse(`${field}.destination`, destination, 'must not contain "." or ".." as a part of its path')
  return fixed
}

/**
 * SECURITY: only the author decides whose host a redirect leads to; a path, a query or a header would make an open redirect.
 * The host that the browser has requested already does not.
 */
function isOfHost(name: string, { source, has = [] }: Source): boolean {
  const isHost = ({ type }: HasCondition) => type === 'host'
  const others = has.filter((condition) => !isHost(condition))
  return namesOf({ source: '/', has: has.filter(isHost) }).has(name) && !namesOf({ source, has: others }).has(name)
}

function isPath(destination: string): boolean {
  return destination.startsWith('/') && !/^\/[/\\]/.test(destination)
}

/** SECURITY: a name and a password before the host would hide the host. */
function isUrl(destination: string): boolean {
  return /^https?:\/\/[^/?#@\\\s]+([/?#]|$)/.test(destination)
}

interface ConditionedRules {
  redirects: RedirectRule[]
  rewrites: RewriteRule[]
  headers: HeaderRule[]
}

/** In compatibility mode, as in Next.js (X5): no condition holds for an empty value, and an empty `value` is as none. */
export function withNotEmptyConditions<Config extends ConditionedRules>(config: Config): Config {
  const { redirects, rewrites, headers } = config
  return {
    ...config,
    redirects: redirects.map(withNotEmpty),
    rewrites: rewrites.map(withNotEmpty),
    headers: headers.map(withNotEmpty),
  }
}

/** One rule, or a matcher of middleware. */
export function withNotEmpty<T extends SourceRule>(rule: T): T {
  const { has, missing } = rule
  return { ...rule, ...(has && { has: has.map(markOne) }), ...(missing && { missing: missing.map(markOne) }) }
}

function markOne(condition: StoredCondition): StoredCondition {
  // A request without a host does not reach the rules.
  if (condition.type === 'host') return condition
  const { type, key, value } = condition
  return { type, key, ...(value && { value }), notEmpty: true }
}
