// The `redirects`, `rewrites` and `headers` of portico.config.ts.

import type { HeaderRule, RedirectRule, RewriteRule } from '@portico/shared/wire/build-output.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { compilePattern, type HasCondition, patternNames } from '@portico/shared/wire/routing/path-patterns.ts'
import { isHeaderText, type Refuse, refuseUnknown } from './config-faults.ts'

type Rule = Record<string, unknown>
type RuleParser<T> = (field: string, rule: Rule, refuse: Refuse) => T | undefined

const MEMBERS = {
  redirect: ['source', 'destination', 'permanent', 'statusCode', 'has'],
  rewrite: ['source', 'destination', 'has'],
  header: ['source', 'headers', 'has'],
  condition: ['type', 'key', 'value'],
  field: ['key', 'value'],
} as const

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

const REDIRECT_STATUSES: readonly RedirectRule['status'][] = [301, 302, 303, 307, 308]

export function parseRedirect(field: string, rule: Rule, refuse: Refuse): RedirectRule | undefined {
  refuseUnknown(field, rule, MEMBERS.redirect, refuse)
  const source = parseSource(field, rule, refuse)
  if (!source) return undefined
  const destination = parseDestination(field, rule, source.names, refuse, false)
  const { permanent, statusCode } = rule
  const given = typeof permanent === 'boolean' ? (permanent ? 308 : 307) : Number(statusCode)
  const status = REDIRECT_STATUSES.find((each) => each === given)
  if (status === undefined || (permanent === undefined) === (statusCode === undefined))
    refuse(field, rule, 'must have either permanent (true or false) or statusCode (301, 302, 303, 307 or 308)')
  return destination === undefined || status === undefined ? undefined : { ...source.rule, destination, status }
}

export function parseRewrite(field: string, rule: Rule, refuse: Refuse): RewriteRule | undefined {
  refuseUnknown(field, rule, MEMBERS.rewrite, refuse)
  const source = parseSource(field, rule, refuse)
  if (!source) return undefined
  const destination = parseDestination(field, rule, source.names, refuse, true)
  return destination === undefined ? undefined : { ...source.rule, destination }
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
  const reserved = headers.find(({ key }) => /^(portico-|content-length$|transfer-encoding$|connection$)/i.test(key))
  if (reserved) refuse(`${field}.headers`, reserved.key, 'is set by Portico; use another header name')
  return source && { ...source.rule, headers }
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

function isHeader(item: unknown): item is HeaderRule['headers'][number] {
  return isRecord(item) && /^[A-Za-z0-9-]+$/.test(String(item.key)) && isHeaderText(item.value)
}

interface Source {
  rule: { source: string; has?: HasCondition[] }
  /** The names that the pattern binds. */
  names: string[]
}

function parseSource(field: string, rule: Rule, refuse: Refuse): Source | undefined {
  const { source } = rule
  const has = parseHas(`${field}.has`, rule.has, refuse)
  try {
    if (typeof source !== 'string') throw new Error('must be a path pattern like "/old/:id"')
    return { rule: { source, ...(has && { has }) }, names: patternNames(compilePattern(source)) }
  } catch (error) {
    refuse(`${field}.source`, source, error instanceof Error ? error.message : String(error))
    return undefined
  }
}

function parseHas(field: string, value: unknown, refuse: Refuse): HasCondition[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every(isCondition)) {
    for (const [index, item] of value.entries())
      refuseUnknown(`${field}[${index}]`, { ...item }, MEMBERS.condition, refuse)
    return value
  }
  refuse(
    field,
    value,
    'must be a list of { type: "header" | "cookie" | "query", key, value? } or { type: "host", value }',
  )
  return undefined
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
  names: readonly string[],
  refuse: Refuse,
  isSameSite: boolean,
): string | undefined {
  const { destination } = rule
  if (typeof destination !== 'string' || !(isPath(destination) || (!isSameSite && isUrl(destination)))) {
    const limit = isSameSite ? 'must be a path of this site' : 'must be a path beginning with one "/" or an http(s) URL'
    refuse(`${field}.destination`, destination, limit)
    return undefined
  }
  for (const [, name = ''] of destination.matchAll(/[/=]:([A-Za-z_][A-Za-z0-9_]*)/g))
    if (!names.includes(name))
      refuse(`${field}.destination`, destination, `uses ":${name}", which source does not define`)
  return destination
}

function isPath(destination: string): boolean {
  return destination.startsWith('/') && !/^\/[/\\]/.test(destination)
}

/** SECURITY: only the author decides the origin of a redirect; a value of the request in it would be an open redirect. */
function isUrl(destination: string): boolean {
  return /^https?:\/\/[^/:]+(:\d+)?(\/|$)/.test(destination)
}
