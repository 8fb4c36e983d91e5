// The conditions of rules, `has` and `missing`: what they compare of a request, and the parameters that they bind.

import { foldCase } from './comparable-path.ts'
import { compileProgram, type Program } from './expression/compile-program.ts'
import { parseExpression } from './expression/parse-expression.ts'
import { runProgram } from './expression/run-program.ts'
import type { PatternParams } from './path-patterns.ts'

export type HasCondition =
  /** `value` is a regular expression for the whole value; its named groups are parameters. */
  { type: 'header' | 'cookie' | 'query'; key: string; value?: string } | { type: 'host'; value: string }

/** A condition in the manifest. `notEmpty`: an empty value is as no value, in compatibility mode. */
export type StoredCondition = HasCondition & { notEmpty?: true }

/** What a condition may read of a request; each is read only when a condition needs it. */
export interface HasFacts {
  header(name: string): string | undefined
  cookie(name: string): string | undefined
  query(name: string): string | undefined
  /** Without the port. */
  host(): string
  /** Called before a condition is compared. */
  noteCompared?: (() => void) | undefined
  /** Called with each rewrite that is applied, as the manifest has it. */
  noteRewrite?: ((rule: object) => void) | undefined
}

/** Where the facts of a request are read. Names of headers are in lower case; `host` may have a port. */
interface FactSources {
  header(name: string): string | string[] | undefined
  cookie(name: string): string | undefined
  host(): string
  /** Empty or `?…`. */
  search: string
  noteCompared?: () => void
}

/** The facts of a request, in one reading for redirects, header rules and rewrites. */
export function createFacts({ header, cookie, host, search, noteCompared }: FactSources): HasFacts {
  return {
    header(name) {
      const value = header(name.toLowerCase())
      return Array.isArray(value) ? value.join(', ') : value
    },
    cookie,
    query: queryOf(search),
    host: () => hostnameOf(host()),
    noteCompared,
  }
}

/** A request behind the gateway, with the public origin that the gateway reports. */
interface ClientRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>
  cookies: Readonly<Record<string, string | undefined>>
  search: string
  origin: string
}

/** The facts of a request as the services behind the gateway have it. */
export function clientFacts({ headers, cookies, search, origin }: ClientRequest): HasFacts {
  return createFacts({
    search,
    header: (name) => headers[name],
    cookie: (name) => cookies[name],
    host: () => new URL(origin).host,
  })
}

/** The facts of a request whose query a rewrite has changed. */
export function withSearch(facts: HasFacts, search: string): HasFacts {
  return { ...facts, query: queryOf(search) }
}

/** The parameters; the last value of a repeated one, as in Next.js. */
function queryOf(search: string): HasFacts['query'] {
  let values: URLSearchParams | undefined
  return (name) => {
    values ??= new URLSearchParams(search)
    return values.getAll(name).at(-1)
  }
}

/** The name in a Host header, in the spelling of URLs. */
function hostnameOf(host: string): string {
  const url = `http://${host}`
  // SECURITY: a name with a dot at its end is the same host: a rule must fit both.
  return (URL.canParse(url) ? new URL(url).hostname : host).replace(/\.$/, '')
}

/** For sites whose rules have no conditions. */
export const NO_FACTS: HasFacts = {
  header: () => undefined,
  cookie: () => undefined,
  query: () => undefined,
  host: () => '',
}

interface CompiledCondition {
  condition: StoredCondition
  program: Program | undefined
}

/** A rule's conditions, compiled once. */
export interface Conditions {
  has: readonly CompiledCondition[]
  missing: readonly CompiledCondition[]
}

/** Throws an error that names the rule which a value breaks. */
export function compileCondition(condition: StoredCondition): CompiledCondition {
  if (condition.value === undefined) return { condition, program: undefined }
  // SECURITY: names of hosts are alike in upper and lower case (RFC 9110 section 4.2.3): a rule must fit both.
  const ignoreCase = condition.type === 'host'
  return { condition, program: compileProgram(parseExpression(condition.value, { ignoreCase, hasNames: true })) }
}

/** Undefined for a rule without conditions. */
export function compileConditions(rule: {
  has?: StoredCondition[]
  missing?: StoredCondition[]
}): Conditions | undefined {
  const { has = [], missing = [] } = rule
  if (has.length === 0 && missing.length === 0) return undefined
  return { has: has.map(compileCondition), missing: missing.map(compileCondition) }
}

/**
 * The name of the parameter that a condition binds as a whole, as in Next.js: the letters of its key, or `host`; empty
 * where named groups are its parameters.
 */
export function wholeName({ condition, program }: CompiledCondition): string {
  if (condition.type === 'host') return program && program.names.length > 0 ? '' : 'host'
  return program ? '' : condition.key.replace(/[^A-Za-z]/g, '')
}

/**
 * Whether every condition of `has` holds and none of `missing`. Parameters of named groups are added to `groups`, those of
 * whole values to `wholes`; both are percent-encoded.
 */
export function meets(conditions: Conditions, facts: HasFacts, groups: PatternParams, wholes: PatternParams): boolean {
  facts.noteCompared?.()
  if (conditions.missing.some((each) => compare(each, facts, undefined, undefined))) return false
  return conditions.has.every((each) => compare(each, facts, groups, wholes))
}

function compare(
  compiled: CompiledCondition,
  facts: HasFacts,
  groups: PatternParams | undefined,
  wholes: PatternParams | undefined,
): boolean {
  const { condition, program } = compiled
  const value = condition.type === 'host' ? foldCase(facts.host()) : facts[condition.type](condition.key)
  if (value === undefined || (value === '' && condition.notEmpty)) return false
  if (program) {
    const slots = runProgram(program, value)
    if (!slots) return false
    if (groups)
      program.names.forEach((name, index) => {
        const from = slots[index * 2]!
        if (from >= 0) groups[name] = encodeValue(value.slice(from, slots[index * 2 + 1]))
      })
  }
  const name = wholes && wholeName(compiled)
  if (name) wholes[name] = encodeValue(value)
  return true
}

/**
 * SECURITY: decoded text of a request must not end the path or the query of a destination. Slash and colon remain, so
 * that the value of a header may be an origin.
 */
function encodeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll('%2F', '/').replaceAll('%3A', ':')
}
