// Destinations of redirects and rewrites: compiled once, and filled with the parameters of a request.

import type { PatternParams } from './path-patterns.ts'

interface Hole {
  name: string
  /** A slash or dot before the parameter, which an absent parameter removes. */
  prefix: string
}

type Part = string | Hole

interface CompiledDestination {
  /** `https://` and the host with its port; empty for a path of this site. */
  origin: readonly Part[]
  path: readonly Part[]
  search: readonly Part[]
  hash: readonly Part[]
  /** Whether path, host or hash use a parameter: a rewrite then adds none to the query, as in Next.js. */
  usesParams: boolean
}

/** Where a destination leads. `base` has the origin of another host; `search` and `hash` are empty or have their mark. */
interface Target {
  base: string
  search: string
  hash: string
}

/** The names that a destination uses in each part. */
interface DestinationNames {
  /** The last name of the host, if no text that has a dot follows it: it decides whose host it is. */
  decidesHost: string | undefined
  used: readonly string[]
}

/** `names` are those that source and `has` define; `:1` of another name is text, as in `?at=12:30`. */
export function compileDestination(destination: string, names: ReadonlySet<string>): CompiledDestination {
  const { origin, path, search, hash } = splitDestination(destination)
  const parts = {
    origin: parseParts(origin, names),
    path: parseParts(path, names),
    search: parseParts(search, names),
    hash: parseParts(hash, names),
  }
  const hasHole = (of: readonly Part[]) => of.some((part) => typeof part === 'object')
  return { ...parts, usesParams: hasHole(parts.origin) || hasHole(parts.path) || hasHole(parts.hash) }
}

/** `names` are those that source and `has` define. Throws nothing: the build checks the names. */
export function destinationNames(destination: string, names: ReadonlySet<string>): DestinationNames {
  const { origin } = splitDestination(destination)
  // SECURITY: digits are a port, unless a parameter has them as its name.
  const host = origin.replace(/^https?:\/\//, '').replace(/:(\d+)$/, (port, name) => (names.has(name) ? port : ''))
  const last = host.slice(host.lastIndexOf(':'))
  const [, name, rest = ''] = /^:(\w+)[*+?]?(.*)$/.exec(last) ?? []
  return {
    decidesHost: name !== undefined && !/\.[^.]+\.[^.]/.test(rest) ? name : undefined,
    used: [...destination.replace(/^https?:/, '').matchAll(PARAMETER)].flatMap(([, , used]) => used ?? []),
  }
}

/**
 * The origin of a destination on another host, as `URL.origin` writes it, and the text that follows. Undefined for a path
 * of this site. SECURITY: undefined, too, where a parameter, a name or a password is before the path: the author alone
 * decides to which host a rewrite sends requests.
 */
export function splitFixedOrigin(destination: string): { origin: string; rest: string } | undefined {
  const text = FIXED_ORIGIN.exec(destination)?.[0]
  if (text === undefined || !URL.canParse(text)) return undefined
  return { origin: new URL(text).origin, rest: destination.slice(text.length) }
}

const FIXED_ORIGIN = /^https?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[^/?#@:*()[\]{}\\\s]+)(?::\d{1,5})?(?=[/?#]|$)/

/** One or more labels of a host name. */
const HOST_PART = /^[A-Za-z0-9](?:[A-Za-z0-9-]|\.(?!\.))*(?<![.-])$/
const PARAMETER = /\\(.)|[/.]?:(\w+)[*+]?/gs

function splitDestination(destination: string) {
  const origin = /^https?:\/\/[^/?#]*/.exec(destination)?.[0] ?? ''
  const [, path = '', search = '', hash = ''] =
    /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(destination.slice(origin.length)) ?? []
  return { origin, path, search, hash }
}

function parseParts(text: string, names: ReadonlySet<string>): Part[] {
  const parts: Part[] = []
  let plain = ''
  let from = 0
  for (const match of text.matchAll(PARAMETER)) {
    const [whole, escaped, name] = match
    plain += text.slice(from, match.index)
    from = match.index + whole.length
    if (escaped !== undefined) plain += escaped
    else if (name === undefined || !names.has(name)) plain += whole
    else {
      const prefix = whole.startsWith(':') ? '' : whole[0]!
      if (plain !== '') parts.push(plain)
      plain = ''
      parts.push({ name, prefix })
    }
  }
  plain += text.slice(from)
  if (plain !== '') parts.push(plain)
  return parts
}

/**
 * Fills a destination; characters that no header line or URL may contain are percent-encoded. Undefined where a parameter
 * would make no host name. SECURITY: a destination that begins with one slash is on this origin for all parameters:
 * leading slashes are collapsed, and white space, which browsers remove from URLs, cannot hide a second slash (no open
 * redirect).
 */
export function fillDestination(destination: CompiledDestination, params: PatternParams): Target | undefined {
  let isHost = true
  const origin = join(destination.origin, params, (value) => {
    if (!HOST_PART.test(value)) isHost = false
    return value
  })
  if (!isHost) return undefined
  const path = printable(join(destination.path, params, (value) => value))
  const hash = printable(join(destination.hash, params, (value) => value))
  return {
    base: origin === '' ? path.replace(/^[/\\]*/, '/') : origin + path,
    // A mark without a query would begin the query of the request with an empty pair.
    search: printable(join(destination.search, params, inQuery)).replace(/^\?$/, ''),
    hash,
  }
}

function join(parts: readonly Part[], params: PatternParams, write: (value: string) => string): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const value = params[part.name]
    const whole = Array.isArray(value) ? value.join('/') : (value ?? '')
    const written = write(whole)
    if (written !== '') text += part.prefix + written
  }
  return text
}

/** SECURITY: a path may contain `&` and `=`, which must not become further values of a query. */
function inQuery(value: string): string {
  return value.replace(/[&=+#?]/g, encodeURIComponent)
}

function printable(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}

/** Parameters as a query, `''` or `?…`; a list is a repeated name. */
export function paramsSearch(params: PatternParams): string {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    [value].flat().map((each) => `${encodeURIComponent(name)}=${inQuery(each)}`),
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Two queries in one. A name of the first wins over the second's, as in Next.js. */
export function joinSearch(first: string, second: string): string {
  if (first === '' || second === '') return first || second
  const names = new Set(new URLSearchParams(first).keys())
  const rest = second
    .slice(1)
    .split('&')
    .filter((pair) => !names.has([...new URLSearchParams(pair).keys()][0] ?? ''))
  return rest.length === 0 ? first : `${first}&${rest.join('&')}`
}

/**
 * Replaces the parameters in the text of a header. SECURITY: percent-encoded values contain no line end, and nothing that
 * begins another attribute of a cookie, another link or another policy.
 */
export function fillText(text: string, params: PatternParams): string {
  if (!text.includes(':')) return text
  return text.replace(/:(\w+)[*+?]?/g, (whole, name: string) => {
    const value = params[name]
    return value === undefined ? whole : printable([value].flat().join('/')).replace(/[",;<>]/g, encodeURIComponent)
  })
}

/**
 * Replaces the parameters in the name of a header; undefined where that makes no name. SECURITY: a parameter adds letters,
 * digits and hyphens only, so it ends no line (response splitting).
 */
export function fillName(key: string, params: PatternParams): string | undefined {
  if (!key.includes(':')) return key
  const name = key.replace(/:(\w+)[*+?]?/g, (_, param: string) => [params[param] ?? ''].flat().join('/'))
  return /^[A-Za-z0-9-]+$/.test(name) ? name : undefined
}
