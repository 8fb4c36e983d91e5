// Load for tests of the state store: submissions that arrive at two replicas, and are repeated (A5).

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { isReadyWithin } from '@portico/shared/kit/store/redis.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import { CONNECT_LIMIT_MS, createGauge, createTurns } from '@portico/shared/kit/testing/load.ts'
import { systemClock } from '../clock.ts'
import { createRedisStore, createStateRedis, openConfirmedScript } from '../store/redis-store.ts'
import { createSubmitOnce, type Submission } from '../submission/submit-once.ts'
import { noteEvents, TEST_SEAL } from './test-store.ts'

const log = createLog('test', 'silent')

/** Clients that repeat a form until it has a result; a fifth of them sends it twice at the same time. */
export async function loadSubmissions(url: RedisUrl) {
  const replicas = await Promise.all([openActions(url), openActions(url)])
  const runs = new Map<string, number>()
  const accepted: string[] = []
  const other: Record<string, number> = {}
  const gauge = createGauge()
  const run = (id: string) => async () => {
    runs.set(id, (runs.get(id) ?? 0) + 1)
    await sleep(2)
    return { result: id, kept: { status: 200 } }
  }
  const send = (id: string, index: number) => replicas[index % 2]!.submitOnce(submissionOf(id), run(id))
  const stop = createTurns(12, async (isStopped) => {
    const id = randomBytes(12).toString('hex')
    for (let attempt = 0; ; attempt++) {
      const second = attempt === 0 && Math.random() < 0.2 ? send(id, attempt + 1) : undefined
      const { kind } = await send(id, attempt)
      await second
      gauge.note(kind === 'ran' || kind === 'repeated')
      if (kind === 'ran' || kind === 'repeated') accepted.push(id)
      else other[kind] = (other[kind] ?? 0) + 1
      if (kind !== 'unavailable' || isStopped()) return
      await sleep(100)
    }
  })
  return {
    async stop() {
      await stop()
      const figures = gauge.read()
      const before = [...runs.values()].filter((count) => count > 1).length
      // A record that was lost in a failover lets its submission run again.
      const repeats: Record<string, number> = {}
      while (accepted.length > 0)
        for (const { kind } of await Promise.all(accepted.splice(-100).map((id) => send(id, 0))))
          repeats[kind] = (repeats[kind] ?? 0) + 1
      for (const { store } of replicas) await store.close()
      const twice = [...runs.values()].filter((count) => count > 1).length
      return { ...figures, other, twice, twiceAtOnce: before, repeats }
    },
  }
}

async function openActions(url: RedisUrl) {
  const redis = createStateRedis(url, { log })
  const confirmed = openConfirmedScript(url)
  const store = createRedisStore(redis, { seal: TEST_SEAL, events: noteEvents(), confirmed })
  if (!(await isReadyWithin(redis, CONNECT_LIMIT_MS))) throw new Error('no connection to the state store')
  return { store, submitOnce: createSubmitOnce({ store, clock: systemClock, log, onRefused: () => {} }) }
}

function submissionOf(id: string): Submission {
  return {
    id,
    otherIds: [],
    fingerprint: 'f',
    holder: { client: id.slice(0, 3), address: id.slice(0, 2) },
    keepMs: 3_600_000,
    bytes: 100,
    safeToRepeat: false,
    bestEffort: false,
    waitMs: 2000,
    signal: new AbortController().signal,
  }
}
