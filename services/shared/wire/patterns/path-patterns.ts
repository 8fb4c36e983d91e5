// Path patterns of redirects, rewrites and headers (R7, X5): the notation of path-to-regexp 6, compiled once into a program
// that runs in linear time.

import { type ComparablePath, comparablePath, foldCase, plainText, sliceOf } from './comparable-path.ts'
import { charSet, inBothCases, negate } from './expression/char-set.ts'
import { compileProgram, type Program } from './expression/compile-program.ts'
import type { Node } from './expression/nodes.ts'
import { parseExpression } from './expression/parse-expression.ts'
import { runProgram } from './expression/run-program.ts'
import { type Parameter, parseTokens, type Token } from './pattern-tokens.ts'

/** Values as the request has them, percent-encoded; a list for parameters with `*` or `+`. Absent parameters are absent. */
export type PatternParams = Record<string, string | string[]>

export interface CompiledPattern {
  source: string
  /** The whole path in lower case, if the pattern has no parameters. */
  text: string | undefined
  /** The first segment in lower case, if the pattern fixes it. */
  first: string | undefined
  /** Its names are those that a destination may use. */
  program: Program
  /** By capture: what separates the values of a parameter with `*` or `+`. */
  separators: readonly (string | undefined)[]
}

/** Longest pattern in characters. */
const PATTERN_LIMIT = 4096

/**
 * Compiles a pattern. Throws an error that names the rule which the pattern breaks. `isExact`: letters of another case are
 * other letters, and paths are compared as comparablePath makes them with the same option.
 */
export function compilePattern(source: string, isExact = false): CompiledPattern {
  const write = isExact ? plainText : literal
  if (!source.startsWith('/')) throw new Error('must begin with "/"')
  if (source.length > PATTERN_LIMIT) throw new Error(`has ${source.length} characters, more than ${PATTERN_LIMIT}`)
  // The path that is compared has no slash at its end.
  const tokens = parseTokens(source.length > 1 ? source.replace(/(?<!\\)\/$/, '') : source)
  refuseTwice(tokens)
  if (tokens.some((token) => typeof token === 'string' && token.includes('//'))) throw new Error('has an empty segment')
  const named = tokens.filter((token) => typeof token === 'object').filter(({ name }) => name !== undefined)
  return {
    source,
    text: tokens.every((token) => typeof token === 'string') ? write(tokens.join('')) : undefined,
    first: firstSegmentOf(tokens, write),
    program: compileProgram({
      kind: 'sequence',
      of: tokens.map((token, index) => nodeOf(token, tokens[index - 1], write)),
    }),
    separators: named.map(({ modifier, prefix, suffix }) =>
      modifier === '*' || modifier === '+' ? suffix + prefix : undefined,
    ),
  }
}

/** Matches a raw pathname. */
export function matchPattern(pattern: CompiledPattern, pathname: string): PatternParams | undefined {
  return matchComparable(pattern, comparablePath(pathname))
}

/** As matchPattern, for a path that is compared with several patterns. */
export function matchComparable(pattern: CompiledPattern, path: ComparablePath): PatternParams | undefined {
  if (pattern.text !== undefined) return pattern.text === path.text ? noParams() : undefined
  const { program, separators } = pattern
  // The root has no slash before its first segment, which is absent: `/:path*` matches it.
  const slots = runProgram(program, path.text) ?? (path.text === '/' ? runProgram(program, '') : undefined)
  if (!slots) return undefined
  const params = noParams()
  for (let index = 0; index < program.names.length; index++) {
    const from = slots[index * 2]!
    if (from < 0) continue
    const value = sliceOf(path, from, slots[index * 2 + 1]!)
    const separator = separators[index]
    params[program.names[index]!] = separator === undefined ? value : value.split(separator)
  }
  return params
}

/** SECURITY: a parameter named __proto__ must not reach a prototype. */
function noParams(): PatternParams {
  return Object.create(null) as PatternParams
}

function refuseTwice(tokens: readonly Token[]): void {
  const names = new Set<string>()
  for (const token of tokens) {
    if (typeof token === 'string' || token.name === undefined) continue
    if (names.has(token.name)) throw new Error(`the name "${token.name}" is given twice`)
    names.add(token.name)
  }
}

/**
 * Text as it is compared. SECURITY: routes are matched by decoded paths, so a rule that guards `/admin` must match
 * `/%61dmin` too.
 */
function literal(text: string): string {
  return foldCase(plainText(text))
}

/** Writes the text of a pattern as it is compared. */
type Write = (text: string) => string

function nodeOf(token: Token, before: Token | undefined, write: Write): Node {
  if (typeof token === 'string') return { kind: 'text', text: write(token) }
  const { name, group, modifier } = token
  const prefix: Node = { kind: 'text', text: write(token.prefix) }
  const suffix: Node = { kind: 'text', text: write(token.suffix) }
  let value: Node = { kind: 'sequence', of: [] }
  if (group !== undefined) value = parseExpression(group, { ignoreCase: write === literal, hasNames: false })
  else if (name !== undefined) value = defaultValue(token, before, write)
  if (modifier === '*' || modifier === '+') {
    const more: Node = { kind: 'sequence', of: [suffix, prefix, value] }
    value = { kind: 'sequence', of: [value, repeat(more, 0, Number.POSITIVE_INFINITY)] }
  }
  const inner: Node = name === undefined ? value : { kind: 'capture', name, of: value }
  const whole: Node = { kind: 'sequence', of: [prefix, inner, suffix] }
  return modifier === '?' || modifier === '*' ? repeat(whole, 0, 1) : whole
}

function repeat(of: Node, min: number, max: number, isLazy = false): Node {
  return { kind: 'repeat', of, min, max, isLazy }
}

/** The part of a segment before the next text. The part does not contain the text before the parameter. */
function defaultValue({ prefix }: Parameter, before: Token | undefined, write: Write): Node {
  const text = write(prefix || (typeof before === 'string' ? before : ''))
  const endless = Number.POSITIVE_INFINITY
  if (text === '' || text.includes('/'))
    return repeat({ kind: 'set', set: negate(charSet([SLASH, SLASH])) }, 1, endless, true)
  if (text.length === 1) {
    const unit = text.charCodeAt(0)
    return repeat({ kind: 'set', set: negate(inBothCases(charSet([SLASH, SLASH, unit, unit]))) }, 1, endless, true)
  }
  const guarded: Node[] = [
    { kind: 'not-ahead', of: [[{ kind: 'text', text }]] },
    { kind: 'set', set: negate(charSet([SLASH, SLASH])) },
  ]
  return repeat({ kind: 'sequence', of: guarded }, 1, endless, true)
}

/** Undefined unless every path that matches has this first segment. */
function firstSegmentOf([first, ...rest]: readonly Token[], write: Write): string | undefined {
  if (typeof first !== 'string' || first === '/') return undefined
  const end = first.indexOf('/', 1)
  if (end > 0) return write(first.slice(1, end))
  return endsSegment(rest) ? write(first.slice(1)) : undefined
}

/** Whether every text that the tokens match begins with a slash or is empty. */
function endsSegment([token, ...rest]: readonly Token[]): boolean {
  if (token === undefined) return true
  if (typeof token === 'string') return token.startsWith('/')
  const isOptional = token.modifier === '?' || token.modifier === '*'
  return token.prefix.startsWith('/') && (!isOptional || endsSegment(rest))
}

const SLASH = 47
