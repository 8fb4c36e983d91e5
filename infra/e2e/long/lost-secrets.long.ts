// The state Redis loses its data, and the four services start again in every order: forms with and without JavaScript,
// sessions, revalidations and middleware are tried after each start (O10). Takes eight minutes.

import { rm } from 'node:fs/promises'
import { hasRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { askAll, expectNothingLost, sign } from '../faults/replicas/cached/lost-secrets.ts'
import { type CachedStage, setCachedStage } from '../faults/replicas/cached/stage.ts'
import { SERVICES, type ServiceName } from '../faults/replicas/fleet.ts'

const LOSSES: Record<string, (stage: CachedStage) => Promise<void>> = {
  FLUSHALL: ({ redis }) => redis.flush(),
  'a fresh volume': ({ redis }) => redis.restart(() => rm(redis.dataDir, { recursive: true })),
}

function ordersOf(services: readonly ServiceName[]): ServiceName[][] {
  return services.length === 0
    ? [[]]
    : services.flatMap((first) => ordersOf(services.filter((each) => each !== first)).map((rest) => [first, ...rest]))
}

describe.skipIf(!hasRedis()).each(Object.keys(LOSSES))('%s', (loss) => {
  let stage: CachedStage
  beforeAll(async () => {
    stage = await setCachedStage()
    // The two of the stage stay; this one starts again.
    await stage.startMore('gateway')
  })
  afterAll(() => stage?.close())

  test.each(ordersOf(SERVICES).map((order) => [order.join(', ')]))('O10 then a start of %s', async (order) => {
    const { fleet, startMore } = stage
    const signed = await sign(stage)
    expectNothingLost(await askAll(stage, signed))
    await LOSSES[loss]!(stage)
    for (const service of order.split(', ') as ServiceName[]) {
      const dead = fleet.members(service).at(service === 'gateway' ? -1 : 0)!
      await fleet.kill(dead)
      await fleet.forget(dead)
      await startMore(service)
      expectNothingLost(await askAll(stage, signed))
    }
  })
})
