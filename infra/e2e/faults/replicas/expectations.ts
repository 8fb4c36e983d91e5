// The results that clients may have, by the specification.

import { expect } from 'vitest'
import type { Stage } from './stage.ts'
import { faultsOf, isAction, submissionFaults, type Visit } from './traffic.ts'

/** No fault at all, and every action ran once. */
export function expectNothingLost(stage: Stage, visits: readonly Visit[]): void {
  expect(faultsOf(visits)).toEqual([])
  expectActionsOnce(stage, visits)
}

/** An action with a response ran once, and none ran twice. */
export function expectActionsOnce({ traces }: Stage, visits: readonly Visit[]): void {
  expect(submissionFaults(visits, { begun: traces('begun'), ended: traces('ended') })).toEqual([])
}

/**
 * After a replica was killed: no GET failed whose first byte was not sent, nothing was ended as if whole, nothing that
 * arrived later failed, and each action got a response or its end was reported as an error.
 */
export function expectOnlyTheBegunBroken(visits: readonly Visit[], killedAt: number): void {
  const reads = visits.filter((visit) => !isAction(visit))
  expect(faultsOf(reads.filter(({ result }) => result !== 'cut'))).toEqual([])
  expect(faultsOf(reads.filter(({ at }) => at > killedAt))).toEqual([])
  const reported = /^ok$|^status 50[23]$/
  expect(faultsOf(visits.filter((visit) => isAction(visit) && !reported.test(visit.result)))).toEqual([])
}
