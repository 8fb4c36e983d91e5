// The tables of the suites are complete, and what they list is run.

import { describe, expect, test } from 'vitest'
import { countRows, fails, faultsOf, notApplicable, numbersOf, OURS, type Suite } from './harness/suite.ts'
import { SUITES } from './suites.ts'

describe('the tables of the suites of Next.js', () => {
  test.each(SUITES.map((suite) => [suite.name, suite] as const))(
    '%s: each test has a row, each id a behaviour',
    (_, suite) => {
      expect(faultsOf(suite)).toEqual([])
      const { tests, ours, fails, notApplicable, open } = countRows(suite)
      expect(tests).toBe(suite.tests)
      expect(ours + fails).toBe(suite.behaviours.flatMap(numbersOf).length)
      expect(ours + fails + notApplicable + open).toBe(tests)
    },
  )

  test('a fault of a table is found', () => {
    const run = async () => {}
    const behaviour = (id: string) => ({ id, does: 'responds', via: 'http', run }) as const
    const suite: Suite = {
      name: 'some',
      source: { repository: 'a/b', commit: '0', file: 'test.js' },
      tests: 4,
      rows: { 1: OURS, 2: fails('a reason'), 3: notApplicable('a reason'), 5: OURS },
      behaviours: [
        behaviour('some-1'),
        behaviour('some-1'),
        behaviour('some-3'),
        { ...behaviour('some-2'), also: [1], differs: { reason: 'why', run } },
      ],
    }
    expect(faultsOf(suite)).toEqual([
      'some: test 4 is not in the table',
      'some: the file has no test 5',
      'some-5: no behaviour has this id',
      'some-3: the table does not expect this behaviour',
      'some-1: two behaviours have this id',
      'some-1: two behaviours have this id',
      'some-2: a difference on purpose is not a failure',
      'some-2: its tests have rows of different kinds',
    ])
  })
})
