// Refuses expressions of authors that other programs match in more than linear time. run-program.ts matches them in linear
// time, because it visits no state twice; but its work grows with the number of states, and such an expression is a mistake.

import { areDisjoint } from './char-set.ts'
import { firstOf, isNullable, type Node } from './nodes.ts'

/** Throws an error that names the rule. */
export function refuseSlow(node: Node, isRepeated = false): void {
  switch (node.kind) {
    case 'repeat': {
      const isRepetition = node.max > 1
      if (isRepeated && isRepetition && node.min !== node.max)
        throw new Error('has a quantifier inside of a quantifier, as in (?:a+)+, which is not matched in linear time')
      if (isRepetition && isNullable(node.of))
        throw new Error('repeats what may be empty, as in (?:a?)*, which is not matched in linear time')
      refuseSlow(node.of, isRepeated || isRepetition)
      return
    }
    case 'choice':
      if (isRepeated) refuseAmbiguous(node.of)
      for (const each of node.of) refuseSlow(each, isRepeated)
      return
    case 'sequence':
      for (const each of node.of) refuseSlow(each, isRepeated)
      return
    case 'capture':
      refuseSlow(node.of, isRepeated)
      return
    case 'not-ahead-any':
      refuseSlow(node.of)
  }
}

function refuseAmbiguous(options: Node[]): void {
  options.forEach((one, index) => {
    for (const other of options.slice(index + 1))
      if (areAmbiguous(one, other))
        throw new Error(
          'repeats alternatives of which two begin alike, as in (?:a|ab)*, which is not matched in linear time',
        )
  })
}

function areAmbiguous(one: Node, other: Node): boolean {
  if (one.kind === 'text' && other.kind === 'text')
    return one.text.startsWith(other.text) || other.text.startsWith(one.text)
  return isNullable(one) || isNullable(other) || !areDisjoint(firstOf(one), firstOf(other))
}
