// Every replica of every service is recreated in turn while visitors come at a steady rate: nobody may notice.
// PORTICO_TRAFFIC_RATE changes the rate.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRedis, type RedisServer, startRedis } from '../../../services/shared/node/testing/redis-server.ts'
import { percentile } from '../../bench/images-pace.ts'
import { SERVICES } from './fleet.ts'
import { type Stage, setStage } from './stage.ts'
import { countResults, faultsOf, startTraffic } from './traffic.ts'

const RATE = Number(process.env.PORTICO_TRAFFIC_RATE ?? 150)

describe.skipIf(!hasRedis())('two replicas of every service', () => {
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

  test.each(SERVICES)(
    `O5 recreating both replicas of %s in turn loses none of ${RATE} requests a second`,
    async (service) => {
      const { fleet, balancer, actionIds, traces } = stage
      const actionId = actionIds.get('trace') ?? ''
      const traffic = startTraffic({ port: balancer.port, perSecond: RATE, actionId })
      const codes: (number | null)[] = []
      for (const member of fleet.members(service)) {
        const [code] = await Promise.all([fleet.stop(member), pause(500)])
        codes.push(code)
        await fleet.start(service)
      }
      await pause(1000)
      const visits = await traffic.stop()
      const times = visits.filter(({ kind }) => kind === 'page').map(({ ms }) => ms)
      console.log(
        `${service}: ${visits.length} requests at ${RATE}/s, ${JSON.stringify(countResults(visits))}, ` +
          `pages p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
      )
      expect(faultsOf(visits)).toEqual([])
      expect(codes).toEqual([0, 0])
      const [begun, ended] = [traces('begun'), traces('ended')]
      const names = visits.filter(({ kind }) => kind === 'action').map(({ name }) => name)
      expect(names.length).toBeGreaterThan(0)
      for (const name of names) expect([begun.get(name), ended.get(name)]).toEqual([1, 1])
    },
  )
})

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds))
}
