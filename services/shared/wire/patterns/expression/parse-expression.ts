// Parses what authors write between the parentheses of a pattern and in `value` of a condition: the part of JavaScript's
// regular expressions that is matched in linear time. Everything else is refused by its name.

import { ANY_CHAR, type CharSet, charSet, DIGITS, inBothCases, negate, SPACES, union, WORD_CHARS } from './char-set.ts'
import type { Node } from './nodes.ts'
import { refuseSlow } from './refuse-slow.ts'

/** Longest expression of an author in characters. */
const EXPRESSION_LIMIT = 512

interface ExpressionOptions {
  /** ASCII letters match in both cases. */
  ignoreCase: boolean
  /** `(?<name>…)` is allowed. */
  hasNames: boolean
}

/** Throws an error that names the rule which the expression breaks. */
export function parseExpression(source: string, options: ExpressionOptions): Node {
  if (source.length > EXPRESSION_LIMIT)
    throw new Error(`the expression has ${source.length} characters, more than ${EXPRESSION_LIMIT}`)
  const node = new Parser(source, options).parse()
  refuseSlow(node)
  return node
}

const CLASSES: Readonly<Record<string, CharSet>> = {
  d: DIGITS,
  D: negate(DIGITS),
  w: WORD_CHARS,
  W: negate(WORD_CHARS),
  s: SPACES,
  S: negate(SPACES),
}
const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', v: '\v', f: '\f', 0: '\0' }
const REFUSED_GROUPS: readonly [string, string][] = [
  ['(?=', 'a lookahead that must match'],
  ['(?<=', 'a lookbehind'],
  ['(?<!', 'a lookbehind'],
]

class Parser {
  readonly #source: string
  readonly #options: ExpressionOptions
  #at = 0
  readonly #names = new Set<string>()

  constructor(source: string, options: ExpressionOptions) {
    this.#source = source
    this.#options = options
  }

  parse(): Node {
    const node = this.#choice()
    if (this.#at < this.#source.length) this.#fail('has a ")" without "("')
    return node
  }

  #fail(rule: string): never {
    throw new Error(`the expression "${this.#source}" ${rule}`)
  }

  #peek(text: string): boolean {
    return this.#source.startsWith(text, this.#at)
  }

  #take(text: string): boolean {
    if (!this.#peek(text)) return false
    this.#at += text.length
    return true
  }

  #choice(): Node {
    const of = [this.#sequence()]
    while (this.#take('|')) of.push(this.#sequence())
    return of.length === 1 ? of[0]! : { kind: 'choice', of }
  }

  #sequence(): Node {
    const of: Node[] = []
    while (this.#at < this.#source.length && !this.#peek('|') && !this.#peek(')')) {
      const item = this.#repeated(this.#item())
      const last = of.at(-1)
      // Text is compared as a whole. A character with a quantifier remains a separate node.
      if (item.kind === 'text' && last?.kind === 'text')
        of[of.length - 1] = { kind: 'text', text: last.text + item.text }
      else of.push(item)
    }
    return of.length === 1 ? of[0]! : { kind: 'sequence', of }
  }

  #repeated(of: Node): Node {
    const bounds = this.#quantifier()
    if (!bounds) return of
    if (of.kind === 'start' || of.kind === 'end' || of.kind === 'not-ahead' || of.kind === 'not-ahead-any')
      this.#fail('repeats a position')
    const isLazy = this.#take('?')
    if (/^[*+?{]/.test(this.#source.slice(this.#at, this.#at + 1))) this.#fail('has a quantifier after a quantifier')
    return { kind: 'repeat', of, ...bounds, isLazy }
  }

  #quantifier(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
    if (this.#take('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
    if (this.#take('?')) return { min: 0, max: 1 }
    const match = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#source.slice(this.#at))
    if (!match) return undefined
    this.#at += match[0].length
    const min = Number(match[1])
    const max = match[2] === undefined ? min : match[3] ? Number(match[3]) : Number.POSITIVE_INFINITY
    if (max < min) this.#fail(`has "${match[0]}", whose numbers are out of order`)
    return { min, max }
  }

  #item(): Node {
    const char = this.#source[this.#at]!
    if (char === '(') return this.#group()
    if (char === '[') return { kind: 'set', set: this.#class() }
    if (char === '\\') return this.#escape()
    this.#at++
    if (char === '^') return { kind: 'start' }
    if (char === '$') return { kind: 'end' }
    // SECURITY: also line ends, unlike JavaScript's: `/%0Aadmin` must not pass by a rule for `/(.*)`.
    if (char === '.') return { kind: 'set', set: ANY_CHAR }
    if ('*+?'.includes(char)) this.#fail(`has "${char}" with nothing to repeat`)
    return this.#text(char)
  }

  #text(char: string): Node {
    if (!this.#options.ignoreCase) return { kind: 'text', text: char }
    return { kind: 'text', text: char.replace(/[A-Z]/, (letter) => letter.toLowerCase()) }
  }

  #group(): Node {
    for (const [opening, name] of REFUSED_GROUPS)
      if (this.#peek(opening)) this.#fail(`has "${opening}", ${name}; only (?!…) is supported`)
    if (this.#take('(?!')) return this.#notAhead()
    if (this.#take('(?:')) return this.#closed(this.#choice())
    const named = /^\(\?<([A-Za-z_$][\w$]*)>/.exec(this.#source.slice(this.#at))
    if (named?.[1] !== undefined) {
      const name = named[1]
      if (!this.#options.hasNames) this.#fail(`has the named group "${name}"; write :${name}(…) in the pattern`)
      if (this.#names.has(name)) this.#fail(`gives the name "${name}" twice`)
      this.#names.add(name)
      this.#at += named[0].length
      return { kind: 'capture', name, of: this.#closed(this.#choice()) }
    }
    if (this.#peek('(?')) this.#fail(`has "${this.#source.slice(this.#at, this.#at + 3)}", which is not supported`)
    this.#at++
    // A condition may group without a name, as in JavaScript; a path pattern refuses it before.
    return this.#closed(this.#choice())
  }

  #closed(node: Node): Node {
    if (!this.#take(')')) this.#fail('has a "(" without ")"')
    return node
  }

  #notAhead(): Node {
    const choice = this.#closed(this.#choice())
    const options = (choice.kind === 'choice' ? choice.of : [choice]).map((node) =>
      node.kind === 'sequence' ? node.of : [node],
    )
    // Nearly all are lists of texts, which are compared without a program.
    const isPlain = options.flat().every(({ kind }) => kind === 'text' || kind === 'set' || kind === 'end')
    if (!isPlain) return { kind: 'not-ahead-any', of: choice }
    return { kind: 'not-ahead', of: options }
  }

  /** After a backslash outside of a class. */
  #escape(): Node {
    const next = this.#source[this.#at + 1] ?? ''
    if (/[1-9]/.test(next) || /^\\k</.test(this.#source.slice(this.#at)))
      this.#fail(`has "\\${next}", a back-reference, which is not supported`)
    if (next === 'b' || next === 'B') this.#fail(`has "\\${next}", a word boundary, which is not supported`)
    const known = CLASSES[next]
    if (!known) return this.#text(this.#escapedUnit())
    this.#at += 2
    return { kind: 'set', set: known }
  }

  #escapedUnit(): string {
    const rest = this.#source.slice(this.#at)
    const hex = /^\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))/.exec(rest)
    if (hex) {
      this.#at += hex[0].length
      return String.fromCharCode(Number.parseInt((hex[1] ?? hex[2])!, 16))
    }
    const char = rest[1]
    if (char === undefined) this.#fail('ends with a backslash')
    if (/[A-Za-z0-9]/.test(char) && CONTROLS[char] === undefined) this.#fail(`has "\\${char}", which is not supported`)
    this.#at += 2
    return CONTROLS[char] ?? char
  }

  #class(): CharSet {
    const start = this.#at++
    const isNegated = this.#take('^')
    const sets: CharSet[] = []
    while (!this.#take(']')) {
      if (this.#at >= this.#source.length) this.#fail(`has "${this.#source.slice(start)}" without "]"`)
      const from = this.#member()
      const isRange = this.#peek('-') && !this.#peek('-]')
      if (!isRange || typeof from !== 'number') {
        sets.push(typeof from === 'number' ? charSet([from, from]) : from)
        continue
      }
      this.#at++
      const to = this.#member()
      if (typeof to !== 'number' || to < from) this.#fail('has a range of characters that is out of order')
      sets.push(charSet([from, to]))
    }
    const set = this.#options.ignoreCase ? inBothCases(union(...sets)) : union(...sets)
    return isNegated ? negate(set) : set
  }

  /** A character of a class, or a set such as `\d`. */
  #member(): number | CharSet {
    if (!this.#peek('\\')) return this.#source.charCodeAt(this.#at++)
    const known = CLASSES[this.#source[this.#at + 1] ?? '']
    if (known) {
      this.#at += 2
      return known
    }
    return this.#escapedUnit().charCodeAt(0)
  }
}
