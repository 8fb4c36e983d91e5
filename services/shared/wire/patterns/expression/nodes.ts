// The parts of an expression: what parse-expression.ts and the tokens of path patterns are made into, and
// compile-program.ts compiles.

import { type CharSet, charSet, NO_CHARS, union } from './char-set.ts'

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'set'; set: CharSet }
  | { kind: 'sequence'; of: Node[] }
  | { kind: 'choice'; of: Node[] }
  /** `max` may be Infinity. */
  | { kind: 'repeat'; of: Node; min: number; max: number; isLazy: boolean }
  | { kind: 'capture'; name: string; of: Node }
  /** Holds where none of the alternatives follows; each is text, sets and possibly the end. */
  | { kind: 'not-ahead'; of: Node[][] }
  /** Holds where the node matches no text that follows. */
  | { kind: 'not-ahead-any'; of: Node }
  | { kind: 'start' }
  | { kind: 'end' }

/** Whether the node matches the empty text. */
export function isNullable(node: Node): boolean {
  switch (node.kind) {
    case 'text':
      return node.text === ''
    case 'set':
      return false
    case 'sequence':
      return node.of.every(isNullable)
    case 'choice':
      return node.of.some(isNullable)
    case 'repeat':
      return node.min === 0 || isNullable(node.of)
    case 'capture':
      return isNullable(node.of)
    case 'not-ahead':
    case 'not-ahead-any':
    case 'start':
    case 'end':
      return true
  }
}

/** The names of all captures, in order. */
export function captureNames(node: Node): string[] {
  switch (node.kind) {
    case 'capture':
      return [node.name, ...captureNames(node.of)]
    case 'sequence':
    case 'choice':
      return node.of.flatMap(captureNames)
    case 'repeat':
      return captureNames(node.of)
    default:
      return []
  }
}

/** The units with which the node may begin. */
export function firstOf(node: Node): CharSet {
  switch (node.kind) {
    case 'text':
      return node.text === '' ? NO_CHARS : charSet([node.text.charCodeAt(0), node.text.charCodeAt(0)])
    case 'set':
      return node.set
    case 'choice':
      return union(...node.of.map(firstOf))
    case 'repeat':
    case 'capture':
      return firstOf(node.of)
    case 'sequence': {
      const sets: CharSet[] = []
      for (const each of node.of) {
        sets.push(firstOf(each))
        if (!isNullable(each)) break
      }
      return union(...sets)
    }
    default:
      return NO_CHARS
  }
}
