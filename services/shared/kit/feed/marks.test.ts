// The marks that one process keeps in memory.

import { expect, it } from 'vitest'
import { createMarks } from '../testing.ts'
import { MAX_MARKS } from './generations.ts'

it.each(['paths', 'tags'] as const)(
  'C5 keeps 10 000 marks of %s; an older one refuses everything before it',
  (kind) => {
    const marks = createMarks()
    const latestOf = (name: string) => (kind === 'paths' ? marks.latest(name, []) : marks.latest('/other', [name]))
    const mark = (name: string, at: number) => marks.mark({ paths: [], tags: [], [kind]: [name] }, at)
    for (let at = 1; at <= MAX_MARKS; at++) mark(`/${at}`, at)
    expect([latestOf('/1'), latestOf('/unknown')]).toEqual([1, 0])
    // Named again: no longer the oldest.
    mark('/1', MAX_MARKS + 1)
    mark('/new', MAX_MARKS + 2)
    expect([latestOf('/2'), latestOf('/unknown'), latestOf('/1')]).toEqual([2, 2, MAX_MARKS + 1])
    mark('/newer', MAX_MARKS + 3)
    expect(latestOf('/unknown')).toBe(3)
  },
)

it('C5 a name that is marked late keeps its latest generation', () => {
  const marks = createMarks()
  marks.mark({ paths: ['/a'], tags: [] }, 9)
  marks.mark({ paths: ['/a'], tags: [] }, 5)
  expect([marks.latest('/a', []), marks.generation()]).toEqual([9, 9])
})
