// Compiles nodes into a program for run-program.ts: a graph of instructions, each with the one that follows.

import { prepareAhead } from './ahead-positions.ts'
import { ANY_CHAR, areDisjoint, type CharSet, charSet, NO_CHARS, union } from './char-set.ts'
import { type Instruction, instruction, OP } from './instructions.ts'
import { captureNames, firstOf, type Node } from './nodes.ts'

export interface Program {
  first: Instruction
  /** Names of captures; the slots of name n are 2n and 2n + 1. */
  names: readonly string[]
  splits: number
  runs: number
}

/** Instructions of the largest program: `{1,9999}` of an author must not fill the memory. */
const INSTRUCTIONS_LIMIT = 4000

export function compileProgram(node: Node): Program {
  const names = captureNames(node)
  const compiler = new Compiler(names)
  const first = compiler.compile(node, instruction(OP.match, undefined))
  return { first, names, splits: compiler.splits, runs: compiler.runs }
}

class Compiler {
  splits = 0
  runs = 0
  #size = 0
  readonly #names: string[]

  constructor(names: string[]) {
    this.#names = names
  }

  #add(op: number, next: Instruction | undefined, more: Partial<Instruction> = {}): Instruction {
    if (++this.#size > INSTRUCTIONS_LIMIT)
      throw new Error(`repeats too much: it has more than ${INSTRUCTIONS_LIMIT} steps`)
    return instruction(op, next, more)
  }

  compile(node: Node, next: Instruction): Instruction {
    switch (node.kind) {
      case 'text':
        return node.text === '' ? next : this.#add(OP.text, next, { text: node.text })
      case 'set':
        return this.#add(OP.set, next, { set: node.set })
      case 'sequence':
        return node.of.reduceRight((after, each) => this.compile(each, after), next)
      case 'choice':
        return node.of
          .map((each) => this.compile(each, next))
          .reduceRight((second, first) => this.#split(first, second))
      case 'capture': {
        const slot = this.#names.indexOf(node.name) * 2
        const end = this.#add(OP.save, next, { id: slot + 1 })
        return this.#add(OP.save, this.compile(node.of, end), { id: slot })
      }
      case 'repeat':
        return this.#repeat(node, next)
      case 'not-ahead':
        return this.#add(OP.notAhead, next, { options: node.of })
      case 'not-ahead-any': {
        const compiler = new Compiler(captureNames(node.of))
        const ahead = prepareAhead(compiler.compile(node.of, instruction(OP.accept, undefined)))
        return this.#add(OP.notAheadAny, next, { ahead })
      }
      case 'start':
        return this.#add(OP.start, next)
      case 'end':
        return this.#add(OP.end, next)
    }
  }

  #split(next: Instruction, other: Instruction): Instruction {
    return this.#add(OP.split, next, { other, id: this.splits++ })
  }

  #repeat({ of, min, max, isLazy }: Node & { kind: 'repeat' }, next: Instruction): Instruction {
    // Where nothing in the set may follow, the longest run is the only one that can match: no state is kept.
    if (of.kind === 'set' && max === Number.POSITIVE_INFINITY && areDisjoint(of.set, firstUnits(next)))
      return this.#add(OP.run, next, { set: of.set, min, id: this.runs++ })
    let after = next
    if (max === Number.POSITIVE_INFINITY) {
      // The body ends in the loop, so the loop is first: until the body is compiled, a set has its first units.
      const loop = this.#split(next, instruction(OP.set, undefined, { set: firstOf(of) }))
      const body = this.#round(of, loop)
      loop.next = isLazy ? next : body
      loop.other = isLazy ? body : next
      after = loop
    } else
      for (let times = min; times < max; times++) {
        const body = this.#round(of, after)
        after = isLazy ? this.#split(next, body) : this.#split(body, next)
      }
    for (let times = 0; times < min; times++) after = this.#round(of, after)
    return after
  }

  /** As in JavaScript, no capture keeps its value of an earlier round. */
  #round(of: Node, next: Instruction): Instruction {
    return captureNames(of).reduce(
      (after, name) => this.#add(OP.clear, after, { id: this.#names.indexOf(name) * 2 }),
      this.compile(of, next),
    )
  }
}

/** The units that an instruction may match first; none for the end. */
function firstUnits(from: Instruction, seen = new Set<Instruction>()): CharSet {
  if (seen.has(from)) return NO_CHARS
  seen.add(from)
  switch (from.op) {
    case OP.text:
      return charSet([from.text.charCodeAt(0), from.text.charCodeAt(0)])
    case OP.set:
      return from.set
    case OP.run:
      return from.min > 0 ? from.set : union(from.set, firstUnits(from.next!, seen))
    case OP.split:
      return union(firstUnits(from.next!, seen), firstUnits(from.other!, seen))
    case OP.accept:
      return ANY_CHAR
    case OP.match:
    case OP.end:
      return NO_CHARS
    default:
      return firstUnits(from.next!, seen)
  }
}
