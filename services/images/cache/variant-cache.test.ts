import { expect, test } from 'vitest'
import { createMemoryStore } from './memory-store.ts'
import { createPurgeRules } from './purge-rules.ts'
import type { Variant } from './variant.ts'
import { createVariantCache } from './variant-cache.ts'
import { createBudget } from './variant-store.ts'

const NOW = 1_000_000

function variant(key: string, source: string): Variant {
  const facts = { type: 'image/webp', etag: '"e"', storedAt: NOW, freshUntil: NOW + 1, passThrough: false }
  const meta: Variant['meta'] = { key, kind: 'image', source, tags: [], generation: 0, validators: {}, ...facts }
  return { meta, body: Buffer.from(key) }
}

test.each(['memory', 'store'] as const)('I9 a wider variant in the %s that is purged is left out', async (place) => {
  const now = () => NOW
  const purges = createPurgeRules()
  purges.add({ number: 1, target: { kind: 'source', value: '/purged.jpg' } })
  const stores = { memory: createMemoryStore(1 << 20, now), store: createMemoryStore(1 << 20, now) }
  const kept = variant('wider', '/kept.jpg')
  for (const each of [variant('wide', '/purged.jpg'), kept]) stores[place].put(each, 1000)
  const cache = createVariantCache(stores.memory, stores.store, purges, now)
  expect(await cache.first(['wide'], createBudget())).toBeUndefined()
  expect(await cache.first(['wide', 'wider'], createBudget())).toBe(kept)
})
