// Replicas of every service are recreated, killed and frozen under requests at a steady rate. PORTICO_TRAFFIC_RATE
// changes the rate: a machine of two cores sustains about 200 a second in addition to the stack itself.

import { hasRedis, type RedisServer, startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { FROZEN_AFTER_MS } from '@portico/shared/wire/constants.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectActionsOnce, expectNothingLost, expectOnlyTheBegunBroken } from '../faults/replicas/expectations.ts'
import { SERVICES } from '../faults/replicas/fleet.ts'
import { describeVisits, freeze, kill, recreate } from '../faults/replicas/scenarios.ts'
import { type Stage, setStage } from '../faults/replicas/stage.ts'

const perSecond = Number(process.env.PORTICO_TRAFFIC_RATE ?? 200)
const BEHIND = SERVICES.filter((service) => service !== 'gateway')

describe.skipIf(!hasRedis())(`two replicas of every service at ${perSecond} requests a second`, () => {
  let redis: RedisServer
  let stage: Stage

  beforeAll(async () => {
    redis = await startRedis()
    stage = await setStage({ environment: { STATE_REDIS_URL: redis.url.href, CACHE_REDIS_URL: redis.url.href } })
  })
  afterAll(async () => {
    await stage?.close()
    await redis?.stop()
  })

  test.each(SERVICES)('O5 recreating both replicas of %s in turn loses no request', async (service) => {
    const { visits, codes } = await recreate(stage, { services: [service], perSecond, count: 2 })
    console.log(describeVisits(`${service} recreated`, perSecond, visits))
    expectNothingLost(stage, visits)
    expect(codes).toEqual([0, 0])
  })

  test.each(BEHIND)('G2 a killed replica of %s breaks only responses that had begun', async (service) => {
    const { visits, killedAt } = await kill(stage, { service, perSecond })
    console.log(describeVisits(`${service} killed`, perSecond, visits))
    expectOnlyTheBegunBroken(visits, killedAt)
    expectActionsOnce(stage, visits)
  })

  test.each(BEHIND)(
    'G2 a frozen replica of %s is ejected after 3 s without a byte and costs no response',
    async (service) => {
      const { visits, outAfterMs } = await freeze(stage, { service, perSecond })
      console.log(`${describeVisits(`${service} frozen`, perSecond, visits)}; out after ${Math.round(outAfterMs)} ms`)
      expectNothingLost(stage, visits)
      // The 3 s, the time in which bytes and probes are noticed, and the interval of this test.
      expect(outAfterMs).toBeLessThan(FROZEN_AFTER_MS + 2000)
    },
  )
})
