// Load for tests of the cache Redis: reads of variants with the budget of a request, and writes of missing ones (I5, O6).

import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import { CONNECT_LIMIT_MS, createGauge, createTurns } from '@portico/shared/kit/testing/load.ts'
import { createRedisLink, createRedisPurges, createRedisStore as createVariantStore } from '../cache/cache-redis.ts'
import { createBudget } from '../cache/variant-store.ts'
import { type Variant, variantKey } from '../variant/variant.ts'

const log = createLog('test', 'silent')

const VARIANTS = 300

/** Requests that read a variant with the budget of a request, and write what they miss. */
export async function loadImages(url: RedisUrl) {
  const replicas = await Promise.all(
    [0, 1].map(async () => {
      const link = createRedisLink(url, log)
      const purges = createRedisPurges(link, log)
      await link.connected(CONNECT_LIMIT_MS)
      return { link, store: createVariantStore({ link, observePurges: purges.observe }) }
    }),
  )
  const gauge = createGauge()
  const times: number[] = []
  const stop = createTurns(6, async () => {
    const { store } = replicas[Math.floor(Math.random() * 2)]!
    const variant = variantOf(`/${Math.floor(Math.random() * VARIANTS)}.png`)
    const began = performance.now()
    const [found] = await store.getMany([variant.meta.key], createBudget())
    times.push(performance.now() - began)
    gauge.note(found !== undefined)
    if (!found) await store.set(variant, 600_000)
    await sleep(5)
  })
  return {
    async stop() {
      await stop()
      const figures = gauge.read()
      for (const { link } of replicas) await link.close()
      times.sort((a, b) => a - b)
      const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10
      return { ...figures, readMs: { half: at(0.5), most: at(0.999), longest: at(1 - 1 / times.length) } }
    },
  }
}

/** Newer than every purge, unless `generation` says otherwise. */
export function variantOf(source: string, generation = Number.MAX_SAFE_INTEGER): Variant {
  const meta: Variant['meta'] = {
    key: variantKey([source, 640, 75, 'webp']),
    kind: 'image',
    source,
    tags: [],
    type: 'image/webp',
    etag: '"e"',
    storedAt: 1,
    freshUntil: 2,
    generation,
    passThrough: false,
    validators: {},
  }
  return { meta, body: Buffer.alloc(20_000, source) }
}
