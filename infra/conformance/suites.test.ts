// The tables of the suites are complete, and what they list is run.

import { describe, expect, test } from 'vitest'
import { countRows, fails, faultsOf, notApplicable, type Suite } from './harness/suite.ts'
import { SUITES } from './suites.ts'

describe('the tables of the suites of Next.js', () => {
  test.each(SUITES.map((suite) => [suite.name, suite] as const))(
    '%s: each test has a behaviour, or a row that says why it has none',
    (_, suite) => {
      expect(faultsOf(suite)).toEqual([])
      const { tests, ours, fails, notApplicable } = countRows(suite)
      expect(ours + fails + notApplicable).toBe(tests)
    },
  )

  test('a fault of a table is found', () => {
    const run = async () => {}
    const behaviour = (id: string) => ({ id, does: 'responds', via: 'http', run }) as const
    const suite: Suite = {
      name: 'some',
      source: { repository: 'a/b', commit: '0', file: 'test.js' },
      tests: 5,
      rows: { 2: fails('a reason'), 3: notApplicable('a reason'), 5: fails('a reason'), 6: notApplicable('a reason') },
      behaviours: [
        behaviour('some-1'),
        behaviour('some-1'),
        behaviour('some-3'),
        { ...behaviour('some-2'), also: [1], differs: { reason: 'why', run } },
        behaviour('other-7'),
      ],
    }
    expect(faultsOf(suite)).toEqual([
      'other-7: the id is of another suite',
      'some: test 4 has no row and no behaviour',
      'some: the file has no test 6',
      'some: the file has no test 7',
      'some: test 5 fails, and has no behaviour',
      'some: test 3 is not applicable, and has a behaviour',
      'some: test 1 has two behaviours',
      'some: test 1 has two behaviours',
      'some-2: a difference on purpose is not a failure',
      'some-2: its tests have rows of different kinds',
    ])
  })
})
