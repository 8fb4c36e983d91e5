import { expect, it } from 'vitest'
import { createChangeHistory } from '../testing.ts'

it('V1 the history lists the files that changed after a version', () => {
  const history = createChangeHistory(100)
  expect(history.since(100)).toEqual([])
  history.record(101, ['a', 'b'])
  history.record(102, ['c'])
  expect(history.since(100)).toEqual(['a', 'b', 'c'])
  expect(history.since(101)).toEqual(['c'])
  expect(history.since(102)).toEqual([])
})

it('V1 the history does not know versions before its start, before a restart or in the future', () => {
  const history = createChangeHistory(100)
  expect([history.since(99), history.since(101)]).toEqual([undefined, undefined])
  history.record(101, ['a'])
  history.restart(101)
  expect(history.since(100)).toBeUndefined()
  expect(history.since(101)).toEqual([])
})

it('V1 the history removes the oldest of more than 2000 changes', () => {
  const history = createChangeHistory(0)
  for (let version = 1; version <= 2001; version++) history.record(version, [`file-${version}`])
  expect(history.since(0)).toBeUndefined()
  expect(history.since(1)).toHaveLength(2000)
})
