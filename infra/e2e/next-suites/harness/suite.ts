// The table of a suite: what happens with each test of one upstream file.

import type { Behaviour } from './behaviour.ts'

/** The behaviour `<suite>-<number>` passes on Portico, or differs on purpose and says so itself. */
export const OURS = { status: 'ours' } as const

/** The behaviour `<suite>-<number>` is written as Next.js has it, and Portico does not meet it yet. */
export const fails = (reason: string) => ({ status: 'fails', reason }) as const

/** Nothing that a site, its clients or its operators see: inner parts of Next.js, its command line, bundler or overlay. */
export const notApplicable = (reason: string) => ({ status: 'not-applicable', reason }) as const

/** Not read yet: for the time in which a suite is written. */
export const OPEN = { status: 'open' } as const

export type Row = typeof OURS | typeof OPEN | ReturnType<typeof fails> | ReturnType<typeof notApplicable>

export interface Suite {
  /** Begins the id of each behaviour. */
  name: string
  /** The upstream file. It is read, never copied. */
  source: { repository: string; commit: string; file: string }
  /** Number of `it` and `test` in the upstream file; one of a table or a loop counts once. */
  tests: number
  /** By the number of the test in the upstream file, from the top, from 1. */
  rows: Readonly<Record<number, Row>>
  behaviours: readonly Behaviour[]
}

export interface Counts {
  tests: number
  ours: number
  /** Part of `ours`: Portico does something else on purpose. */
  differs: number
  fails: number
  notApplicable: number
  open: number
}

export function countRows({ rows, behaviours }: Suite): Counts {
  const all = Object.values(rows)
  const count = (status: Row['status']) => all.filter((row) => row.status === status).length
  return {
    tests: all.length,
    ours: count('ours'),
    differs: behaviours.filter((behaviour) => behaviour.differs).flatMap(numbersOf).length,
    fails: count('fails'),
    notApplicable: count('not-applicable'),
    open: count('open'),
  }
}

/** The tests of the upstream file that a behaviour proves. */
export function numbersOf({ id, also = [] }: Behaviour): number[] {
  return [Number(id.slice(id.lastIndexOf('-') + 1)), ...also]
}

/** What is wrong with a suite, in sentences. */
export function faultsOf({ name, tests, rows, behaviours }: Suite): string[] {
  const numbers = Object.keys(rows).map(Number)
  const listed = Array.from({ length: tests }, (_, index) => index + 1)
  const expected = new Set(
    numbers.filter((n) => rows[n]?.status === 'ours' || rows[n]?.status === 'fails').map((n) => `${name}-${n}`),
  )
  const ids = behaviours.flatMap(({ id, also = [] }) => [id, ...also.map((n) => `${name}-${n}`)])
  const statuses = (behaviour: Behaviour) => new Set(numbersOf(behaviour).map((n) => rows[n]?.status))
  return [
    ...listed.filter((n) => !rows[n]).map((n) => `${name}: test ${n} is not in the table`),
    ...numbers.filter((n) => n > tests).map((n) => `${name}: the file has no test ${n}`),
    ...[...expected].filter((id) => !ids.includes(id)).map((id) => `${id}: no behaviour has this id`),
    ...ids.filter((id) => !expected.has(id)).map((id) => `${id}: the table does not expect this behaviour`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: two behaviours have this id`),
    ...behaviours
      .filter((behaviour) => behaviour.differs && statuses(behaviour).has('fails'))
      .map(({ id }) => `${id}: a difference on purpose is not a failure`),
    ...behaviours
      .filter((behaviour) => statuses(behaviour).size > 1)
      .map(({ id }) => `${id}: its tests have rows of different kinds`),
  ]
}
