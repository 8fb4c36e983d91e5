// Thousands of simultaneous clients that read a little of a response, and then do nothing. Other clients are served,
// and the descriptors are free once these clients have left. Clients that send half of a request are in
// half-sent.long.ts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Endured, endure, OTHERS, readLittle } from '../faults/replicas/slow-clients.ts'
import { type Stage, setStage } from '../faults/replicas/stage.ts'

/** Needs three descriptors a client: here, at the gateway, and between the gateway and a service. */
const COUNT = 2000

describe(`${COUNT} simultaneous slow clients`, () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await setStage({ replicas: 1 })
  })
  afterAll(() => stage?.close())

  test('A7 G4 exclude no other client and leave no descriptor open, repeatedly', async () => {
    const [gateway] = stage.fleet.members('gateway')
    if (!gateway) throw new Error('no gateway')
    const begin = async () => [await readLittle(gateway, COUNT, '/api/large')]
    const rounds: Endured[] = []
    for (let round = 0; round < 2; round++) {
      const endured = await endure([gateway, ...stage.fleet.members('actions')], begin, OTHERS)
      console.log(JSON.stringify(endured))
      rounds.push(endured)
    }
    for (const { statuses, gone } of rounds) {
      expect(statuses).toEqual(OTHERS.map(() => 200))
      expect(gone).toBe(0)
    }
    const perReader = 3
    for (const { before, during } of rounds) expect(during - before).toBeLessThan(COUNT * perReader + 100)
  })
})
