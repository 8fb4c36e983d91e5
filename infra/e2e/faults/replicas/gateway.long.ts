// One origin that never drops: two replicas of every service as processes, a few clients a second, and the events of
// deploys and faults. With many clients: infra/e2e/long/deploys.long.ts and slow-clients.long.ts.

import { hasRedis, type RedisServer, startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectActionsOnce, expectNothingLost, expectOnlyTheBegunBroken } from './expectations.ts'
import { type Member, SERVICES, type ServiceName } from './fleet.ts'
import { describeVisits, freeze, kill, recreate } from './scenarios.ts'
import { endure, OTHERS, readLittle, sendHalves } from './slow-clients.ts'
import { type Stage, setStage } from './stage.ts'

const perSecond = 30
const SLOW = 300

describe.skipIf(!hasRedis())('two replicas of every service', () => {
  let redis: RedisServer
  let stage: Stage

  beforeAll(async () => {
    redis = await startRedis()
    const stores = { STATE_REDIS_URL: redis.url.href, CACHE_REDIS_URL: redis.url.href }
    // Twice the usual delay: on a busy machine gateways notice a draining replica later.
    stage = await setStage({ environment: { ...stores, DRAIN_DELAY_MS: '2000' } })
  })
  afterAll(async () => {
    await stage?.close()
    await redis?.stop()
  })

  // One service after the other: deploys.long.ts.
  test('O5 recreating a replica of every service at the same time loses no request', async () => {
    const { visits, codes } = await recreate(stage, { services: SERVICES, perSecond, count: 1 })
    console.log(describeVisits('every service recreated', perSecond, visits))
    expectNothingLost(stage, visits)
    expect(codes).toEqual(SERVICES.map(() => 0))
  })

  test.each<ServiceName>(['renderer', 'actions'])(
    'G2 a killed replica of %s breaks only responses that had begun',
    async (service) => {
      const { visits, killedAt } = await kill(stage, { service, perSecond })
      console.log(describeVisits(`${service} killed`, perSecond, visits))
      expectOnlyTheBegunBroken(visits, killedAt)
      expectActionsOnce(stage, visits)
    },
  )

  test('G2 a frozen replica is ejected and costs no response', async () => {
    const { visits, outAfterMs } = await freeze(stage, { service: 'renderer', perSecond })
    console.log(`${describeVisits('renderer frozen', perSecond, visits)}; out after ${Math.round(outAfterMs)} ms`)
    expectNothingLost(stage, visits)
  })

  const gateway = (): Member => {
    const [member] = stage.fleet.members('gateway')
    if (!member) throw new Error('no gateway')
    return member
  }
  const SLOW_WAYS = [
    ['half-sent posts', 'actions', () => sendHalves(gateway(), SLOW, stage.actionIds.get('trace') ?? '')],
    ['half-read responses', 'actions', () => readLittle(gateway(), SLOW, '/api/large')],
    ['half-read files', 'gateway', () => readLittle(gateway(), SLOW, '/large.bin')],
  ] as const
  test.each(SLOW_WAYS)(
    `A7 G4 ${SLOW} %s exclude no other client and leave no descriptor open`,
    async (what, service, begin) => {
      const behind = service === 'gateway' ? [] : stage.fleet.members(service)
      const endured = await endure([gateway(), ...behind], async () => [await begin()], OTHERS)
      console.log(`${SLOW} ${what}: ${JSON.stringify(endured)}`)
      expect(endured.statuses).toEqual(OTHERS.map(() => 200))
      expect(endured.gone).toBe(0)
    },
  )
})
