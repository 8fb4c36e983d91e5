// Splits a path pattern into texts and parameters, with the notation of path-to-regexp 6: `:name`, `(group)`, `{prefix:name}`,
// the modifiers `?`, `*` and `+`, and a backslash, which makes the next character text.

export interface Parameter {
  /** Absent for a group without a name, which no destination can use, and for text in braces. */
  name: string | undefined
  /** The author's group. A parameter without one is a segment or a part of it. */
  group: string | undefined
  prefix: string
  suffix: string
  modifier: '' | '?' | '*' | '+'
}

export type Token = string | Parameter

interface Piece {
  kind: 'char' | 'escaped' | 'name' | 'group' | 'open' | 'close' | 'modifier'
  value: string
}

/** Throws an error that names the rule which the pattern breaks. */
export function parseTokens(source: string): Token[] {
  const pieces = splitPieces(source)
  const tokens: Token[] = []
  let text = ''
  let at = 0
  const take = (...kinds: Piece['kind'][]): string | undefined => {
    const piece = pieces[at]
    if (!piece || !kinds.includes(piece.kind)) return undefined
    at++
    return piece.value
  }
  const takeText = () => {
    let found = ''
    for (let value = take('char', 'escaped'); value !== undefined; value = take('char', 'escaped')) found += value
    return found
  }
  const flush = () => {
    if (text !== '') tokens.push(text)
    text = ''
  }
  const add = (parts: Omit<Parameter, 'modifier'>) => {
    flush()
    // The cast: a modifier is one of these characters.
    const parameter = { ...parts, modifier: (take('modifier') ?? '') as Parameter['modifier'] }
    refuseUnclear(parameter, tokens.at(-1))
    tokens.push(parameter)
  }
  while (at < pieces.length) {
    const char = take('char')
    const name = take('name')
    const group = take('group')
    if (name !== undefined || group !== undefined) {
      // A slash or a dot before a parameter belongs to it: `/:name?` is without the slash, too.
      const isPrefix = char === '/' || char === '.'
      if (char !== undefined && !isPrefix) text += char
      add({ name, group, prefix: isPrefix ? char : '', suffix: '' })
    } else if (char !== undefined) text += char
    else {
      const escaped = take('escaped')
      if (escaped !== undefined) {
        text += escaped
        continue
      }
      if (take('open') === undefined) refusePiece(pieces[at]?.value)
      const prefix = takeText()
      const inner = take('name')
      const innerGroup = take('group')
      const suffix = takeText()
      if (take('close') === undefined)
        throw new Error('has a "{" without "}" after text, at most one parameter, and text')
      add({ name: inner, group: innerGroup, prefix, suffix })
    }
  }
  flush()
  return tokens
}

function refusePiece(value = ''): never {
  if (value === '?') throw new Error(NO_QUERY)
  throw new Error(`has a "${value}" that follows no parameter; write \\\\${value} for the character`)
}

function refuseUnclear({ name, group, prefix, suffix, modifier }: Parameter, before: Token | undefined): void {
  const text = name === undefined ? `(${group ?? ''})` : `:${name}`
  if ((modifier === '*' || modifier === '+') && prefix === '' && suffix === '')
    throw new Error(
      `"${text}${modifier}" must have a prefix to repeat, as in /${text}${modifier} or {-${text}}${modifier}`,
    )
  if (name !== undefined && group === undefined && prefix === '' && typeof before === 'object')
    throw new Error(`"${text}" must have text between itself and the parameter before`)
}

const NO_QUERY = 'must not contain a query or a hash; use "has"'
const KINDS: Readonly<Record<string, Piece['kind']>> = {
  '*': 'modifier',
  '+': 'modifier',
  '?': 'modifier',
  '{': 'open',
  '}': 'close',
}

function splitPieces(source: string): Piece[] {
  const pieces: Piece[] = []
  for (let at = 0; at < source.length; ) {
    const char = source[at]!
    const kind = KINDS[char]
    if (kind) pieces.push({ kind, value: char })
    else if (char === '\\') {
      const escaped = source[++at]
      if (escaped === undefined) throw new Error('ends with a backslash')
      pieces.push({ kind: 'escaped', value: escaped })
    } else if (char === ':') {
      const name = /^\w+/.exec(source.slice(at + 1))?.[0]
      if (name === undefined) throw new Error('has a ":" without a name; write \\\\: for the character')
      pieces.push({ kind: 'name', value: name })
      at += name.length
    } else if (char === '(') {
      const group = groupAt(source, at)
      pieces.push({ kind: 'group', value: group })
      at += group.length + 1
    } else if (char === '#') throw new Error(NO_QUERY)
    else pieces.push({ kind: 'char', value: char })
    at++
  }
  return pieces
}

/** What is between the parenthesis at a position and the one that closes it. */
function groupAt(source: string, open: number): string {
  let depth = 0
  for (let at = open; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === '(') {
      if (depth > 0 && source[at + 1] !== '?') throw new Error('has a group in a group; write (?:…) for the inner one')
      depth++
    } else if (source[at] === ')' && --depth === 0) {
      const group = source.slice(open + 1, at)
      if (group === '') throw new Error('has an empty group')
      if (group.startsWith('?'))
        throw new Error('has a group that begins with "?"; write it in a group, as in ((?!api).*)')
      return group
    }
  }
  throw new Error('has a "(" without ")"')
}
