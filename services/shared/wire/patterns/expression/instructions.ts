// The instructions of a program, which compile-program.ts makes and run-program.ts runs.

import { type CharSet, NO_CHARS } from './char-set.ts'
import type { Node } from './nodes.ts'

/** One shape for all kinds, so that V8 compiles property access for this shape. */
export interface Instruction {
  op: number
  next: Instruction | undefined
  /** Of SPLIT: tried when `next` fails. */
  other: Instruction | undefined
  text: string
  set: CharSet
  /** Of RUN: the least number of units. */
  min: number
  /** Of SAVE: the slot; of CLEAR: the first of the two; of SPLIT and RUN: its number. */
  id: number
  /** Of NOT_AHEAD. */
  options: Node[][]
  /** Of NOT_AHEAD_ANY. */
  ahead: AheadProgram | undefined
}

export const OP = {
  match: 0,
  text: 1,
  set: 2,
  run: 3,
  split: 4,
  save: 5,
  notAhead: 6,
  start: 7,
  end: 8,
  clear: 9,
  notAheadAny: 10,
  /** The end of what NOT_AHEAD_ANY matches, before any text. */
  accept: 11,
} as const

/** An expression of which any part of the text may be matched from a position on. */
export interface AheadProgram {
  /** Each after those that it needs at the same position. */
  steps: readonly Instruction[]
  /** The number of each step in `steps`. */
  numbers: ReadonlyMap<Instruction, number>
  first: Instruction
}

export function instruction(op: number, next: Instruction | undefined, more: Partial<Instruction> = {}): Instruction {
  return { op, next, other: undefined, text: '', set: NO_CHARS, min: 0, id: 0, options: [], ahead: undefined, ...more }
}
