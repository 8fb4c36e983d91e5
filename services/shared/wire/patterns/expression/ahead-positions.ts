// Where a (?!…) over any expression holds. All positions of a text are decided in one pass from its end, so that the time is
// the size of the expression times the length of the text, wherever and how often the (?!…) is reached.

import { hasUnit } from './char-set.ts'
import { type AheadProgram, type Instruction, OP } from './instructions.ts'
import type { Node } from './nodes.ts'

/** For one text: by program 1 for each position from which the program matches. */
export type AheadPositions = Map<AheadProgram, Uint8Array>

/** Prepares compiled instructions; without loops that take no text, which parsers refuse. */
export function prepareAhead(first: Instruction): AheadProgram {
  const numbers = new Map<Instruction, number>()
  const open = new Set<Instruction>()
  const roots = [first]
  const visit = (step: Instruction): void => {
    if (open.has(step)) return
    open.add(step)
    const after = [step.next, step.other].filter((each) => each !== undefined)
    if (step.op === OP.text || step.op === OP.set) roots.push(...after)
    else after.forEach(visit)
    numbers.set(step, numbers.size)
  }
  // The loop also visits what it adds.
  for (const root of roots) visit(root)
  return { steps: [...numbers.keys()], numbers, first }
}

/** Whether the program matches some part of the text that begins at the position. */
export function matchesFrom(program: AheadProgram, text: string, at: number, known: AheadPositions): boolean {
  let positions = known.get(program)
  if (!positions) {
    positions = positionsOf(program, text, known)
    known.set(program, positions)
  }
  return positions[at] === 1
}

function positionsOf({ steps, numbers, first }: AheadProgram, text: string, known: AheadPositions): Uint8Array {
  const width = text.length + 1
  const holds = new Uint8Array(steps.length * width)
  /** For a RUN: where the units of its set end, from the position after the current one. */
  const ends = new Int32Array(steps.length).fill(text.length)
  const rows = steps.map((step) => [rowOf(step.next), rowOf(step.other)] as const)
  function rowOf(step: Instruction | undefined): number {
    return step ? numbers.get(step)! * width : 0
  }
  for (let at = text.length; at >= 0; at--)
    for (let number = 0; number < steps.length; number++) {
      const step = steps[number]!
      const [next, other] = rows[number]!
      if (isHeld(step, number, next, other, at)) holds[number * width + at] = 1
    }
  function isHeld(step: Instruction, number: number, next: number, other: number, at: number): boolean {
    switch (step.op) {
      case OP.accept:
        return true
      case OP.text:
        return text.startsWith(step.text, at) && holds[next + at + step.text.length] === 1
      case OP.set:
        return at < text.length && hasUnit(step.set, text.charCodeAt(at)) && holds[next + at + 1] === 1
      case OP.run: {
        const end = at < text.length && hasUnit(step.set, text.charCodeAt(at)) ? ends[number]! : at
        ends[number] = end
        return end - at >= step.min && holds[next + end] === 1
      }
      case OP.split:
        return holds[next + at] === 1 || holds[other + at] === 1
      case OP.notAhead:
        return holds[next + at] === 1 && !step.options.some((parts) => follows(parts, text, at))
      case OP.notAheadAny:
        return holds[next + at] === 1 && !matchesFrom(step.ahead!, text, at, known)
      case OP.start:
        return at === 0 && holds[next + at] === 1
      case OP.end:
        return at === text.length && holds[next + at] === 1
      default:
        return holds[next + at] === 1
    }
  }
  const row = rowOf(first)
  return holds.subarray(row, row + width)
}

/** Whether text, sets and the end follow each other from a position on. */
export function follows(parts: readonly Node[], text: string, from: number): boolean {
  let at = from
  for (const part of parts) {
    if (part.kind === 'text') {
      if (!text.startsWith(part.text, at)) return false
      at += part.text.length
    } else if (part.kind === 'set') {
      if (at >= text.length || !hasUnit(part.set, text.charCodeAt(at))) return false
      at++
    } else if (at !== text.length) return false
  }
  return true
}
