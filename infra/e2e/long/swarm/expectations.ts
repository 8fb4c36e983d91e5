// What holds for every fault of a cluster, and the fault that several tests share.

import { expect } from 'vitest'
import type { Cluster } from './cluster.ts'
import { during, type Outcome } from './faults.ts'
import type { Node } from './nodes.ts'

/** No request that is sent later than this after a node's death fails. */
export const RECOVERY_MS = 5000
/** Submissions whose results ended with the process that ran them are those of one moment. */
const MOST_UNKNOWN = 5

/** Prints what happened; submissions run once and none is lost, whatever the fault. */
export function expectOnce(fault: string, outcome: Outcome): void {
  console.log(fault, JSON.stringify(outcome))
  expect(outcome).toMatchObject({ twice: [], lost: [] })
  expect(outcome.acknowledged).toBeGreaterThan(50)
  const { 'status 409': unknown = 0, ...others } = outcome.open
  expect(unknown).toBeLessThan(MOST_UNKNOWN)
  expect(others).toEqual({})
  // Results of the last moments may be lost with a master: the response to a repetition says so, and nothing runs.
  expect(Object.keys(outcome.forgotten).filter((result) => result !== 'status 409')).toEqual([])
}

/** A node dies under clients, and returns when its replicas are on the others. */
export function killed(cluster: Cluster, node: Node): Promise<Outcome> {
  return during(cluster, async (whole) => {
    await cluster.nodes.kill(node)
    await cluster.untilWhole(node)
    whole()
    await cluster.nodes.start(node)
    await cluster.untilWhole()
  })
}
