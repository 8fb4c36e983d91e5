import { expect, test } from 'vitest'
import type { Variant } from '../variant/variant.ts'
import { createVariantCache } from './cache.ts'
import { createMemoryStore } from './local-stores.ts'
import { createPurgeRules } from './purges.ts'
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

test('I5 X15 the refusal that another replica has stored deletes the variant in the memory', async () => {
  let clock = NOW
  const now = () => clock
  const stores = { memory: createMemoryStore(1 << 20, now), store: createMemoryStore(1 << 20, now) }
  const cache = createVariantCache(stores.memory, stores.store, createPurgeRules(), now)
  const old = variant('a', '/a.jpg')
  const { meta } = variant('!a', '/a.jpg')
  const failure = { status: 400, text: 'refused' } as const
  const refusal: Variant = {
    meta: { ...meta, kind: 'failure', failure, storedAt: NOW + 10, freshUntil: NOW + 20 },
    body: Buffer.alloc(0),
  }
  stores.memory.put(old, 1000)
  stores.store.put(refusal, 1000)
  clock = NOW + 15
  await cache.fromStore('a', cache.fromMemory('a'), createBudget())
  expect(cache.fromMemory('a')).toEqual({ variant: undefined, failure: refusal })
})
