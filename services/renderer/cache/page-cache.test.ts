// The cache in this process: the contract, and its bound.

import { expect, test } from 'vitest'
import { describePageCache } from '../testing/page-cache-contract.ts'
import { createMemoryPageCache } from './page-cache.ts'

describePageCache('memory', async () => ({ cache: createMemoryPageCache({ limitBytes: 1024 * 1024 }) }))

test('D5 the cache in memory is bounded by bytes and removes the least recently used pages first', async () => {
  const limitBytes = 100_000
  const cache = createMemoryPageCache({ limitBytes })
  const html = Buffer.alloc(20_000)
  const page = { kind: 'page', html, htmlEtag: '""', data: Buffer.alloc(0), dataEtag: '""' } as const
  for (let at = 0; at < 50; at++) {
    await cache.set(String(at), '/', { outcome: page, storedAt: 0, freshForMs: undefined, tags: [] }, 0)
    await cache.get('0')
  }
  const kept = await Promise.all(Array.from({ length: 50 }, (_, at) => cache.get(String(at))))
  expect(kept.filter(Boolean)).toHaveLength(4)
  expect(kept.flatMap((entry, at) => (entry ? [at] : []))).toEqual([0, 47, 48, 49])
})
