// The `csp` of portico.config.ts: changes of the content security policy for the site and for routes (G6, R7).
// csp-table.ts applies the changes to the routes of the app folder.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { CspDirectiveName, CspSource } from '@portico/shared/wire/policy/content-security-policy.ts'
import { type Refuse, refuseUnknown } from './config-faults.ts'
import { DIRECTIVES, STRICT_DYNAMIC } from './csp-directives.ts'

interface CspChange {
  sources: CspSource[]
  /** Whether the sources replace what the directive allows, or are added. */
  replaces: boolean
}

export interface CspRule {
  changes: Record<string, CspChange>
  reportOnly?: boolean
}

/** false is no policy. */
export interface CspSettings {
  site: CspRule | false
  /** Key: pattern of pages. */
  routes: Record<string, CspRule | false>
}

interface Context {
  /** The `publicEnv` of the config, as written. */
  publicEnv: unknown
  refuse: Refuse
}

export function parseCsp(value: unknown, context: Context): CspSettings {
  const { refuse } = context
  if (value === undefined) return { site: { changes: {} }, routes: {} }
  if (value === false) return { site: false, routes: {} }
  if (!isRecord(value)) {
    refuse('csp', value, 'must be an object { directives, reportOnly, routes }, or false for no policy')
    return { site: false, routes: {} }
  }
  const { routes, ...site } = value
  const parsed: CspSettings = { site: parseRule('csp', site, context), routes: {} }
  if (directivesWith(parsed.site, STRICT_DYNAMIC).length > 0)
    refuse(
      'csp.directives',
      STRICT_DYNAMIC,
      `needs a nonce in every document; set it in csp.routes for pages with getServerSideProps`,
    )
  if (routes !== undefined && !isRecord(routes)) refuse('csp.routes', routes, 'must be an object with patterns as keys')
  else
    for (const [pattern, rule] of Object.entries(routes ?? {})) {
      const field = `csp.routes[${JSON.stringify(pattern)}]`
      if (!PATTERN.test(pattern))
        refuse(field, pattern, 'must be a pattern of pages like "/places/[slug]" or "/shop/[...rest]"')
      else if (rule === false) parsed.routes[pattern] = false
      else if (isRecord(rule)) parsed.routes[pattern] = parseRule(field, rule, context)
      else refuse(field, rule, 'must be an object { directives, reportOnly }, or false for no policy')
    }
  return parsed
}

/** Segments of text and `[name]`; a catch-all only at the end. */
const PATTERN = /^\/$|^(\/([^/[\]]+|\[[^/[\].]+\]))*(\/\[\.{3}[^/[\].]+\]|\/\[\[\.{3}[^/[\].]+\]\])?$/

/** The directives whose changes have the source. */
export function directivesWith(rule: CspRule | false, source: string): string[] {
  if (!rule) return []
  return Object.keys(rule.changes).filter((name) => rule.changes[name]!.sources.includes(source))
}

function parseRule(field: string, rule: Record<string, unknown>, context: Context): CspRule {
  const { refuse } = context
  refuseUnknown(
    field,
    rule,
    field === 'csp' ? ['directives', 'reportOnly', 'routes'] : ['directives', 'reportOnly'],
    refuse,
  )
  const { directives = {}, reportOnly } = rule
  const parsed: CspRule = { changes: {} }
  if (typeof reportOnly === 'boolean') parsed.reportOnly = reportOnly
  else if (reportOnly !== undefined) refuse(`${field}.reportOnly`, reportOnly, 'must be true or false')
  if (!isRecord(directives)) {
    refuse(`${field}.directives`, directives, 'must be an object with directives as keys')
    return parsed
  }
  for (const [name, value] of Object.entries(directives)) {
    const change = parseChange(name, `${field}.directives[${JSON.stringify(name)}]`, value, context)
    if (change) parsed.changes[name] = change
  }
  return parsed
}

function parseChange(name: string, field: string, value: unknown, context: Context): CspChange | undefined {
  const { refuse } = context
  if (!isDirective(name)) {
    refuse(field, value, `is not a directive; known: ${Object.keys(DIRECTIVES).join(', ')}`)
    return undefined
  }
  const replaces = isRecord(value)
  if (replaces) refuseUnknown(field, value, ['replace'], refuse)
  const list: unknown = replaces ? value.replace : value
  const [least, most] = DIRECTIVES[name].count
  if (!Array.isArray(list)) {
    refuse(field, value, 'must be a list, which adds sources, or { replace: [ … ] }')
    return undefined
  }
  if (list.length < least) refuse(field, value, `must have a source; { replace: ["'none'"] } allows nothing`)
  if (list.length > most) refuse(field, value, most === 0 ? 'must be []' : 'must have one member')
  if (list.includes("'none'") && !(replaces && list.length === 1))
    refuse(field, value, `'none' is not next to other sources; use { replace: ["'none'"] }`)
  for (const [index, source] of list.entries()) checkSource(name, `${field}[${index}]`, source, context)
  // checkSource has refused every other member, and a fault discards the config.
  return { sources: list as CspSource[], replaces }
}

function isDirective(name: string): name is CspDirectiveName {
  return Object.hasOwn(DIRECTIVES, name)
}

function checkSource(name: CspDirectiveName, field: string, source: unknown, { publicEnv, refuse }: Context): void {
  const { fault, takesEnv } = DIRECTIVES[name]
  if (typeof source === 'string') {
    const rule = fault(source)
    if (rule) refuse(field, source, rule)
  } else if (!isRecord(source) || typeof source.env !== 'string' || !takesEnv) {
    refuse(field, source, `must be text${takesEnv ? ' or { env: "NAME" }' : ''}`)
  } else {
    refuseUnknown(field, source, ['env'], refuse)
    const rule = isRecord(publicEnv) && Object.hasOwn(publicEnv, source.env) ? publicEnv[source.env] : undefined
    if (!isRecord(rule) || !(rule.type === 'string' || rule.type === 'url'))
      refuse(field, source, 'must name a value of publicEnv with the type "string" or "url"')
  }
}
