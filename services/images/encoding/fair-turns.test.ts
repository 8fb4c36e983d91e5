import { expect, test } from 'vitest'
import { createFairTurns } from './fair-turns.ts'

/** Names in the order of their turns while all of them always want one. */
function order(took: Record<string, number>, count: number): string {
  const turns = createFairTurns()
  const names = Object.keys(took)
  return Array.from({ length: count }, () => {
    const name = turns.next(names)!
    turns.begin(name, took[name]!)
    return name
  }).join('')
}

test.each([
  ['equal turns alternate', { a: 100, b: 100 }, 'ababab'],
  ['short turns come as often as their time allows', { a: 300, b: 100 }, 'abbbabbb'],
  ['three share', { a: 100, b: 100, c: 100 }, 'abcabc'],
])('I7 %s', (_what, took, wanted) => {
  expect(order(took, wanted.length)).toBe(wanted)
})

test('I7 a turn that took longer than expected counts in full, and time without a wish is not saved up', () => {
  const turns = createFairTurns()
  expect(turns.next([])).toBeUndefined()
  turns.begin('a', 100)
  turns.correct('a', 900)
  for (let turn = 0; turn < 10; turn++) {
    expect(turns.next(['a', 'b'])).toBe('b')
    turns.begin('b', 100)
  }
  expect(turns.next(['a', 'b'])).toBe('a')
  turns.begin('a', 100)
  // `c` wanted nothing until now: one turn is ahead of the others, not eleven.
  expect(turns.next(['a', 'b', 'c'])).toBe('b')
  turns.begin('c', 100)
  expect(turns.next(['c', 'b'])).toBe('b')
})

test('I7 names without number cost no memory and no turn of those that are served', () => {
  const turns = createFairTurns()
  for (let at = 0; at < 100_000; at++) turns.begin(`host-${at}`, 10)
  turns.begin('a', 100)
  expect(turns.next(['a', 'fresh'])).toBe('fresh')
})
