import { expect, test } from 'vitest'
import { FairTurns } from '../testing.ts'

/** Names in the order of their turns while every name always has a job. */
function order(took: Record<string, number>, count: number): string {
  const turns = new FairTurns()
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

test('I7 a turn that took longer than expected counts fully, and a name without jobs collects no credit', () => {
  const turns = new FairTurns()
  expect(turns.next([])).toBeUndefined()
  turns.begin('a', 100)
  turns.correct('a', 900)
  for (let turn = 0; turn < 10; turn++) {
    expect(turns.next(['a', 'b'])).toBe('b')
    turns.begin('b', 100)
  }
  expect(turns.next(['a', 'b'])).toBe('a')
  turns.begin('a', 100)
  // `c` had no job until now: `c` gets one turn before the others, not eleven.
  expect(turns.next(['a', 'b', 'c'])).toBe('b')
  turns.begin('c', 100)
  expect(turns.next(['c', 'b'])).toBe('b')
})

test('I7 any number of names takes bounded memory and no turn of the served names', () => {
  const turns = new FairTurns()
  for (let at = 0; at < 100_000; at++) turns.begin(`host-${at}`, 10)
  turns.begin('a', 100)
  expect(turns.next(['a', 'fresh'])).toBe('fresh')
})
