// The page caches of two gateways over three renderers stay exact while pages are revalidated and parts of the stack
// fail. The same more often, and with longer faults: infra/e2e/long/page-cache.long.ts.

import { hasRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SLOW_MS } from '../../../sites/written/revalidated.ts'
import {
  awayFor,
  faultStore,
  revalidateOften,
  revalidateShared,
  revalidateWhilePaused,
  STORE_FAULTS,
  withoutRenderers,
} from './faults.ts'
import { expectNothingLost, loseSecrets } from './lost-secrets.ts'
import { expectCurrent } from './readers.ts'
import { type CachedStage, setCachedStage } from './stage.ts'

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

    test('C5 a revalidation is visible to the acting client at once on either gateway, and soon to all', async () => {
      const { readings, lateMs } = await revalidateOften(stage, 30)
      expectCurrent(readings)
      // Milliseconds on a free machine.
      expect(lateMs.at(-1)).toBeLessThan(2000)
    })

    test('C5 a gateway and a renderer that were paused during revalidations send nothing old', async () => {
      expectCurrent(await revalidateWhilePaused(stage, { times: 10, together: 5 }))
    })

    test('C8 after revalidateTag no renderer returns earlier data of cached', async () => {
      expectCurrent(await revalidateShared(stage, 30))
    })

    test.each(Object.entries({ ...STORE_FAULTS, 'is away': awayFor(3000) }))(
      'C5 pages go on and nothing old is sent when the state Redis %s',
      async (_what, fault) => {
        expectCurrent(await faultStore(stage, fault))
      },
    )

    test('O10 forms, sessions, revalidations and middleware go on when the state Redis loses its keys and services restart', async () => {
      expectNothingLost(await loseSecrets(stage))
    })

    test('C4 C5 without renderers what is cached goes on, what was revalidated gets the error screen, until they are back', async () => {
      const { kept, changed } = await withoutRenderers(stage, 500)
      expectCurrent(kept)
      for (const { status, as, text } of changed) {
        expect([502, 503]).toContain(status)
        if (as === 'html') expect(text).toMatch(/^<!doctype html>.*<\/html>\s*$/is)
        else expect(JSON.parse(text)).toMatchObject({ error: { code: expect.any(String) } })
      }
    })
  },
)
