// One origin that never drops: two replicas of every service as processes, a few visitors a second, and everything that
// a deploy or a fault does to them. The same with many visitors is deploys.long.ts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRedis, type RedisServer, startRedis } from '../../../services/shared/node/testing/redis-server.ts'
import { send } from '../http.ts'
import { expectActionsOnce, expectNothingLost, expectOnlyTheBegunBroken } from './expectations.ts'
import { SERVICES } from './fleet.ts'
import { describeVisits, freeze, kill, recreate } from './scenarios.ts'
import { countDescriptors, readLittle, sendHalves } from './slow-visitors.ts'
import { type Stage, setStage, until } from './stage.ts'

const perSecond = 30
const OTHERS = ['/', '/items/six', '/headers', '/api/notes', '/_portico/image?url=/pictures/sample.jpg&w=64&q=75']
const SLOW = Number(process.env.PORTICO_SLOW_VISITORS ?? 300)

describe.skipIf(!hasRedis())('two replicas of every service', () => {
  let redis: RedisServer
  let stage: Stage

  beforeAll(async () => {
    redis = await startRedis()
    const stores = { STATE_REDIS_URL: redis.url.href, CACHE_REDIS_URL: redis.url.href }
    // Twice the usual delay: on a busy machine everybody hears later of who drains.
    stage = await setStage({ environment: { ...stores, DRAIN_DELAY_MS: '2000' } })
  })
  afterAll(async () => {
    await stage?.close()
    await redis?.stop()
  })

  test.each(SERVICES)('O5 recreating a replica of %s loses no request', async (service) => {
    const { visits, codes } = await recreate(stage, { service, perSecond, count: 1 })
    console.log(describeVisits(`${service} recreated`, perSecond, visits))
    expectNothingLost(stage, visits)
    expect(codes).toEqual([0])
  })

  test.each(['renderer', 'actions'] as const)(
    'G2 a killed replica of %s breaks only answers that had begun',
    async (service) => {
      const { visits, killedAt } = await kill(stage, { service, perSecond })
      console.log(describeVisits(`${service} killed`, perSecond, visits))
      expectOnlyTheBegunBroken(visits, killedAt)
      expectActionsOnce(stage, visits)
    },
  )

  test('G2 a frozen replica goes out and costs no answer', async () => {
    const { visits, outAfterMs } = await freeze(stage, { service: 'renderer', perSecond })
    console.log(`${describeVisits('renderer frozen', perSecond, visits)}; out after ${Math.round(outAfterMs)} ms`)
    expectNothingLost(stage, visits)
  })

  const SLOW_WAYS = [
    [
      'half-sent posts',
      'actions',
      () => sendHalves(stage.fleet.members('gateway')[0]!, SLOW, stage.actionIds.get('trace')!),
    ],
    ['half-read files', 'gateway', () => readLittle(stage.fleet.members('gateway')[0]!, SLOW, '/large.bin')],
    ['half-read answers', 'actions', () => readLittle(stage.fleet.members('gateway')[0]!, SLOW, '/api/large')],
  ] as const
  test.each(SLOW_WAYS)(
    `A7 G4 ${SLOW} %s keep nobody out and leave no descriptor behind`,
    async (what, service, begin) => {
      const [gateway] = stage.fleet.members('gateway')
      if (!gateway) throw new Error('no gateway')
      const members = [gateway, ...stage.fleet.members(service)]
      const count = async () => (await Promise.all(members.map(countDescriptors))).reduce((sum, one) => sum + one, 0)
      const before = await count()
      const slow = await begin()
      try {
        await until('all of them under way', async () => (await count()) >= before + SLOW)
        const during = await count()
        const baseUrl = `http://${gateway.address}:${gateway.port}`
        const started = performance.now()
        for (const target of OTHERS) expect((await send(baseUrl, target)).status).toBe(200)
        console.log(
          `${SLOW} ${what}: descriptors ${before}, with them ${during}; ` +
            `${OTHERS.length} others served in ${Math.round(performance.now() - started)} ms beside them`,
        )
        expect(slow.gone()).toBe(0)
      } finally {
        slow.leave()
      }
      const leftAt = performance.now()
      // Connections between services are kept for the next request.
      await until('the descriptors back', async () => (await count()) <= before + 20)
      console.log(`${SLOW} ${what}: descriptors back after ${Math.round(performance.now() - leftAt)} ms`)
    },
  )
})
