// The page caches of two gateways over three renderers stay exact over hundreds of revalidations, and while parts of the
// stack fail for longer. The figures are in the output.

import { setTimeout as sleep } from 'node:timers/promises'
import { hasRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  awayFor,
  faultStore,
  revalidateOften,
  revalidateShared,
  revalidateWhilePaused,
  STORE_FAULTS,
  withoutRenderers,
} from '../faults/replicas/cached/faults.ts'
import { expectNothingLost, loseSecrets } from '../faults/replicas/cached/lost-secrets.ts'
import { countVerdicts, expectCurrent } from '../faults/replicas/cached/readers.ts'
import { type CachedStage, setCachedStage } from '../faults/replicas/cached/stage.ts'
import { SLOW_MS } from '../sites/written/revalidated.ts'

const TIMES = 500
const PAUSED_TIMES = 50
const STORE_ROUNDS = 5
const AWAY_MS = 30_000

describe.skipIf(!hasRedis()).each([1, 2])(
  'two gateways with page caches over three renderers, %i workers a gateway',
  (workers) => {
    let stage: CachedStage
    beforeAll(async () => {
      stage = await setCachedStage(workers)
    })
    afterAll(() => stage?.close())

    test('C3 200 clients on one cold page cause one call of its data function and see one render', async () => {
      const startedAt = performance.now()
      const readings = await Promise.all(
        Array.from({ length: 200 }, (_, client) =>
          stage.read('slow-cold', stage.gateways[client % 2 === 0 ? 0 : 1], client % 4 < 2 ? 'html' : 'data'),
        ),
      )
      expectCurrent(readings)
      expect(new Set(readings.map(({ render }) => render)).size).toBe(1)
      expect(stage.runsOf('slow-cold')).toBe(1)
      console.log(`200 clients: ${Math.round(performance.now() - startedAt)} ms for a data function of ${SLOW_MS} ms`)
    })

    test(`C5 ${TIMES} revalidations are visible to the acting client at once, and to all within 100 ms at the 99th percentile`, async () => {
      const { readings, lateMs } = await revalidateOften(stage, TIMES)
      const [p50, p99, most] = [0.5, 0.99, 1].map((share) => lateMs[Math.ceil(share * lateMs.length) - 1])
      console.log(
        `${TIMES} revalidations, ${readings.length} responses, last old response sent after: p50 ${p50}, p99 ${p99}, most ${most} ms`,
      )
      expectCurrent(readings)
      expect(p99).toBeLessThan(100)
    })

    test(`C5 ${PAUSED_TIMES} revalidations while a gateway and a renderer are paused: nothing old after they resume`, async () => {
      const readings = await revalidateWhilePaused(stage, { times: PAUSED_TIMES, together: 10 })
      console.log(`paused: ${readings.length} responses, ${JSON.stringify(countVerdicts(readings))}`)
      expectCurrent(readings)
    })

    test(`C8 ${TIMES} times revalidateTag: no renderer returns earlier data of cached`, async () => {
      const readings = await revalidateShared(stage, TIMES)
      console.log(`cached: ${readings.length} responses`)
      expectCurrent(readings)
    })

    const hangs = async ({ redis }: CachedStage) => {
      redis.pause()
      await sleep(5000)
      redis.resume()
    }
    const faults = [
      ...Object.entries(STORE_FAULTS).flatMap((fault) => Array.from({ length: STORE_ROUNDS }, () => fault)),
      ['hangs', hangs],
      [`is away for ${AWAY_MS} ms`, awayFor(AWAY_MS)],
    ] as const
    test.each(faults)('C5 pages go on and nothing old is sent when the state Redis %s', async (what, fault) => {
      const readings = await faultStore(stage, fault)
      console.log(`state Redis ${what}: ${readings.length} responses, ${JSON.stringify(countVerdicts(readings))}`)
      expectCurrent(readings)
    })

    test('O10 forms, sessions, revalidations and middleware go on when the state Redis loses its keys and services restart', async () => {
      expectNothingLost(await loseSecrets(stage))
    })

    test('C4 C5 without renderers what is cached goes on for a minute, and what was revalidated gets the error screen', async () => {
      const { kept, changed } = await withoutRenderers(stage, 60_000)
      console.log(
        `no renderer: ${JSON.stringify(countVerdicts(kept))} kept, ${JSON.stringify(countVerdicts(changed))} revalidated`,
      )
      expectCurrent(kept)
      for (const { status, as, text } of changed) {
        expect([502, 503]).toContain(status)
        if (as === 'html') expect(text).toMatch(/^<!doctype html>.*<\/html>\s*$/is)
        else expect(JSON.parse(text)).toMatchObject({ error: { code: expect.any(String) } })
      }
    })
  },
)
