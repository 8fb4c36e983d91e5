// The results that clients may have, by the specification.

import { expect } from 'vitest'
import type { Stage } from './stage.ts'
import { faultsOf, type Visit } from './traffic.ts'

const isAction = ({ kind }: Visit) => kind === 'action'

/** No fault at all, and every action ran once. */
export function expectNothingLost(stage: Stage, visits: readonly Visit[]): void {
  expect(faultsOf(visits)).toEqual([])
  expectActionsOnce(stage, visits)
}

/** An action with a response ran once, and none ran twice. */
export function expectActionsOnce({ traces }: Stage, visits: readonly Visit[]): void {
  const [begun, ended] = [traces('begun'), traces('ended')]
  const actions = visits.filter(isAction)
  expect(actions.length).toBeGreaterThan(0)
  expect(actions.filter(({ name }) => (begun.get(name) ?? 0) > 1).map(({ name }) => name)).toEqual([])
  const completed = actions.filter(({ result }) => result === 'ok')
  expect(completed.filter(({ name }) => ended.get(name) !== 1).map(({ name }) => name)).toEqual([])
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
