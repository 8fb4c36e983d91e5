// The table of a suite: what happens with each test of one upstream file.

import type { Behaviour } from './behaviour.ts'

/** The behaviour `<suite>-<number>` is written as Next.js has it, and Portico does not meet it yet. */
export const fails = (reason: string) => ({ status: 'fails', reason }) as const

/** Nothing that a site, its clients or its operators see: inner parts of Next.js, its command line, bundler or overlay. */
export const notApplicable = (reason: string) => ({ status: 'not-applicable', reason }) as const

/** Rows that many suites have. */
export const DEVELOPMENT = notApplicable('the development server of Next.js')
export const FILE = notApplicable('the format of a file of the build')
export const SKIPPED = notApplicable('skipped upstream')
export const STEP = notApplicable('a step of the test itself: every behaviour needs a build and a server')

/** The same row for several tests. */
export const rowsOf = (row: Row, ...numbers: number[]) => Object.fromEntries(numbers.map((number) => [number, row]))

export type Row = ReturnType<typeof fails> | ReturnType<typeof notApplicable>

export interface Suite {
  /** Begins the id of each behaviour. */
  name: string
  /** The upstream file. It is read, never copied. */
  source: { repository: string; commit: string; file: string }
  /** Number of `it` and `test` in the upstream file; one of a table or a loop counts once. */
  tests: number
  /**
   * By the number of the test in the upstream file, from the top, from 1. A test without a row has a behaviour that Portico
   * meets, or from which it differs on purpose.
   */
  rows: Readonly<Record<number, Row>>
  behaviours: readonly Behaviour[]
}

/** A file of the suites of Next.js that were read. */
export const upstream = (file: string): Suite['source'] => ({
  repository: 'ijjk/next.js',
  commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
  file,
})

export interface Counts {
  tests: number
  ours: number
  /** Part of `ours`: Portico does something else on purpose. */
  differs: number
  fails: number
  notApplicable: number
}

export function countRows({ tests, rows, behaviours }: Suite): Counts {
  const count = (status: Row['status']) => Object.values(rows).filter((row) => row.status === status).length
  const numbers = behaviours.flatMap(numbersOf)
  return {
    tests,
    ours: numbers.filter((n) => !rows[n]).length,
    differs: behaviours.filter((behaviour) => behaviour.differs).flatMap(numbersOf).length,
    fails: count('fails'),
    notApplicable: count('not-applicable'),
  }
}

/** The tests of the upstream file that a behaviour proves. */
export function numbersOf({ id, also = [] }: Behaviour): number[] {
  return [Number(id.slice(id.lastIndexOf('-') + 1)), ...also]
}

/** What is wrong with a suite, in sentences. */
export function faultsOf({ name, tests, rows, behaviours }: Suite): string[] {
  const listed = Array.from({ length: tests }, (_, index) => index + 1)
  const shown = behaviours.flatMap(numbersOf)
  const rowNumbers = Object.keys(rows).map(Number)
  const statuses = (behaviour: Behaviour) => new Set(numbersOf(behaviour).map((n) => rows[n]?.status))
  return [
    ...behaviours.filter(({ id }) => !id.startsWith(`${name}-`)).map(({ id }) => `${id}: the id is of another suite`),
    ...listed
      .filter((n) => !rows[n] && !shown.includes(n))
      .map((n) => `${name}: test ${n} has no row and no behaviour`),
    ...[...rowNumbers, ...shown]
      .filter((n) => !(n >= 1 && n <= tests))
      .map((n) => `${name}: the file has no test ${n}`),
    ...rowNumbers
      .filter((n) => rows[n]?.status === 'fails' && !shown.includes(n))
      .map((n) => `${name}: test ${n} fails, and has no behaviour`),
    ...shown
      .filter((n) => rows[n]?.status === 'not-applicable')
      .map((n) => `${name}: test ${n} is not applicable, and has a behaviour`),
    ...shown.filter((n, index) => shown.indexOf(n) !== index).map((n) => `${name}: test ${n} has two behaviours`),
    ...behaviours
      .filter((behaviour) => behaviour.differs && statuses(behaviour).has('fails'))
      .map(({ id }) => `${id}: a difference on purpose is not a failure`),
    ...behaviours
      .filter((behaviour) => statuses(behaviour).size > 1)
      .map(({ id }) => `${id}: its tests have rows of different kinds`),
  ]
}
