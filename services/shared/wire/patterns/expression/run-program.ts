// Runs a program over a whole text. The matches are those of a backtracking regular expression; but after some steps no
// state is visited twice, so that the time is at most the size of the program times the length of the text.

import { type AheadPositions, follows, matchesFrom } from './ahead-positions.ts'
import { hasUnit } from './char-set.ts'
import type { Program } from './compile-program.ts'
import { type Instruction, OP } from './instructions.ts'

/** Choices after which visited states are noted: nearly all matches end before, and allocate nothing for it. */
const CHOICES_WITHOUT_NOTES = 64

/**
 * Start and end of each capture, -1 where it did not take part; undefined if the text does not match as a whole.
 * SECURITY: the time is linear in the length of the text for every program (no denial of service by a pattern).
 */
export function runProgram(program: Program, text: string): number[] | undefined {
  const slots: number[] = new Array(program.names.length * 2).fill(-1)
  // Triples: an instruction to try at a position, or undefined with a slot and the value to restore.
  const pending: (Instruction | number | undefined)[] = []
  let visited: Uint8Array | undefined
  let spans: Int32Array | undefined
  let aheads: AheadPositions | undefined
  let choices = 0
  let at = 0
  let step: Instruction | undefined = program.first
  for (;;) {
    while (step) {
      const { op } = step
      if (op === OP.split) {
        if (++choices > CHOICES_WITHOUT_NOTES) {
          visited ??= new Uint8Array(Math.ceil((program.splits * (text.length + 1)) / 8))
          spans ??= new Int32Array(program.runs * 2)
          const state = step.id * (text.length + 1) + at
          const bit = 1 << (state & 7)
          if ((visited[state >> 3]! & bit) !== 0) break
          visited[state >> 3]! |= bit
        }
        pending.push(step.other, at, 0)
      } else if (op === OP.save) {
        if (pending.length > 0) pending.push(undefined, step.id, slots[step.id]!)
        slots[step.id] = at
      } else if (op === OP.clear) {
        const { id } = step
        if (pending.length > 0) pending.push(undefined, id, slots[id]!, undefined, id + 1, slots[id + 1]!)
        slots[id] = slots[id + 1] = -1
      } else if (op === OP.match) {
        if (at === text.length) return slots
        break
      } else if (op === OP.notAheadAny) {
        aheads ??= new Map()
        if (matchesFrom(step.ahead!, text, at, aheads)) break
      } else {
        const end = advance(step, text, at, spans)
        if (end < 0) break
        at = end
      }
      step = step.next
    }
    // The last choice that is left; slots get the values of that time.
    step = undefined
    while (pending.length > 0 && !step) {
      const value = pending.pop() as number
      const position = pending.pop() as number
      step = pending.pop() as Instruction | undefined
      if (step) at = position
      else slots[position] = value
    }
    if (!step) return undefined
  }
}

/** The position after an instruction without choices; -1 where it does not match. */
function advance(step: Instruction, text: string, at: number, spans: Int32Array | undefined): number {
  switch (step.op) {
    case OP.text:
      return text.startsWith(step.text, at) ? at + step.text.length : -1
    case OP.set:
      return at < text.length && hasUnit(step.set, text.charCodeAt(at)) ? at + 1 : -1
    case OP.run: {
      const end = endOfRun(step, text, at, spans)
      return end - at < step.min ? -1 : end
    }
    case OP.notAhead:
      return step.options.some((parts) => follows(parts, text, at)) ? -1 : at
    case OP.start:
      return at === 0 ? at : -1
    default:
      return at === text.length ? at : -1
  }
}

/** The last span of each run is kept: a run that begins before it or in it needs not read it again. */
function endOfRun({ set, id }: Instruction, text: string, at: number, spans: Int32Array | undefined): number {
  const from = spans ? spans[id * 2]! : 0
  const to = spans ? spans[id * 2 + 1]! : 0
  let end = at
  while (end < text.length && hasUnit(set, text.charCodeAt(end))) {
    end++
    if (end > from && end <= to) end = to
  }
  if (spans) {
    spans[id * 2] = at
    spans[id * 2 + 1] = end
  }
  return end
}
