// Path patterns of redirects, rewrites and headers in portico.config.ts (R7): `:id` is one segment, `:rest*` zero or
// more, `:rest+` one or more. A pattern is compared segment by segment and never becomes a regular expression.

export type HasCondition =
  | { type: 'header' | 'cookie' | 'query'; key: string; value?: string }
  | { type: 'host'; value: string }

/** What a `has` condition may read of a request; each is read only when a condition needs it. */
export interface HasFacts {
  header(name: string): string | undefined
  cookie(name: string): string | undefined
  query(name: string): string | undefined
  /** Without the port. */
  host(): string
  /** Called before a condition is compared. */
  noteCompared?: (() => void) | undefined
}

/** Where the facts of a request are read. Names of headers are in lower case; `host` may have a port. */
export interface FactSources {
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
    query: (name) => new URLSearchParams(search).get(name) ?? undefined,
    host: () => hostnameOf(host()),
    noteCompared,
  }
}

/** The name in a Host header, in the spelling of URLs. */
function hostnameOf(host: string): string {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : host
}

/** For sites whose rules have no conditions. */
export const NO_FACTS: HasFacts = {
  header: () => undefined,
  cookie: () => undefined,
  query: () => undefined,
  host: () => '',
}

export type PatternParams = Record<string, string>

interface PatternPart {
  text?: string
  name?: string
  repeat?: '*' | '+'
}

export interface CompiledPattern {
  source: string
  parts: PatternPart[]
}

/** Parses a pattern. Throws an error that names the rule which the pattern breaks. */
export function compilePattern(source: string): CompiledPattern {
  if (!source.startsWith('/')) throw new Error('must begin with "/"')
  if (source.includes('?') || source.includes('#')) throw new Error('must not contain a query or a hash; use "has"')
  const names = new Set<string>()
  const parts = source
    .split('/')
    .filter((part) => part !== '')
    .map((part, index, all): PatternPart => {
      if (!part.startsWith(':')) {
        // Notation of other routers would be compared letter by letter and would never match.
        if (/[:*(){}\\]/.test(part))
          throw new Error(`the segment "${part}" must be plain text, :name, :name* or :name+`)
        return { text: plainSegment(part) }
      }
      const match = /^:([A-Za-z_][A-Za-z0-9_]*)([*+])?$/.exec(part)
      if (!match?.[1]) throw new Error(`the segment "${part}" must be :name, :name* or :name+`)
      if (names.has(match[1])) throw new Error(`the name "${match[1]}" is given twice`)
      names.add(match[1])
      if (match[2] && index !== all.length - 1) throw new Error(`"${part}" must be the last segment`)
      return match[2] ? { name: match[1], repeat: match[2] as '*' | '+' } : { name: match[1] }
    })
  return { source, parts }
}

/** The names that a pattern binds. */
export function patternNames(pattern: CompiledPattern): string[] {
  return pattern.parts.flatMap((part) => part.name ?? [])
}

/**
 * A raw segment in the form that is compared. SECURITY: routes are matched by decoded paths, so a rule that guards
 * `/admin` must match `/%61dmin` too.
 */
export function plainSegment(raw: string): string {
  if (!raw.includes('%')) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    // A malformed segment matches no text, and the route table responds 400.
    return raw
  }
}

/** Matches a raw pathname; values stay percent-encoded, so that a destination filled with them keeps their meaning. */
export function matchPattern(pattern: CompiledPattern, pathname: string): PatternParams | undefined {
  const segments = pathname.split('/').filter((part) => part !== '')
  const params: PatternParams = Object.create(null) as PatternParams
  let at = 0
  for (const part of pattern.parts) {
    if (part.repeat) {
      if (part.repeat === '+' && at >= segments.length) return undefined
      params[part.name!] = segments.slice(at).join('/')
      return params
    }
    const segment = segments[at++]
    if (segment === undefined) return undefined
    if (part.name) params[part.name] = segment
    else if (part.text !== plainSegment(segment)) return undefined
  }
  return at === segments.length ? params : undefined
}

/**
 * Fills a destination; characters that no header line or URL may contain are percent-encoded. SECURITY: a destination
 * that begins with one slash is on this origin for all params: leading slashes are collapsed, and white
 * space, which browsers remove from URLs, cannot hide a second slash (no open redirect).
 */
export function fillDestination(destination: string, params: PatternParams): string {
  const filled = destination.replace(/:([A-Za-z_][A-Za-z0-9_]*)[*+]?/g, (whole, name: string) => params[name] ?? whole)
  const printable = filled.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
  return destination.startsWith('/') ? printable.replace(/^[/\\]+/, '/') : printable
}

/** Whether every condition holds. A `value` is compared as a whole, without wildcards. */
export function hasAll(conditions: readonly HasCondition[] | undefined, facts: HasFacts): boolean {
  if (!conditions) return true
  facts.noteCompared?.()
  return conditions.every((condition) => {
    // SECURITY: names of hosts are alike in upper and lower case (RFC 9110 section 4.2.3): a rule must fit both.
    if (condition.type === 'host') return facts.host().toLowerCase() === condition.value.toLowerCase()
    const value = facts[condition.type](condition.key)
    return value !== undefined && (condition.value === undefined || condition.value === value)
  })
}
