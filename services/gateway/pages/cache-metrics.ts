// Metrics of the page cache (C6). Labels are bounded.

import type { Feed } from '@portico/shared/kit/feed/feed.ts'
import { addFeedMetrics } from '@portico/shared/kit/observe/metrics.ts'
import type { Representation } from '@portico/shared/wire/routing/urls.ts'
import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { Verdict } from './decide.ts'
import type { PageMemory } from './memory.ts'

/** `ERROR`: the fill failed. `PASS`: the proxy responded, although the page could have had an entry. */
type CacheVerdict = Verdict | 'ERROR' | 'PASS'
export interface CacheMetrics {
  count(verdict: CacheVerdict, part: Representation): void
  tooLarge(): void
}

interface CacheMetricsDeps {
  registry: Registry
  figures: PageMemory['figures']
  feed: Pick<Feed, 'isConfirmed' | 'marksLost'>
}

/** Registers the metrics. */
export function createCacheMetrics({ registry, figures, feed }: CacheMetricsDeps): CacheMetrics {
  const registers = [registry]
  const responses = new Counter({
    name: 'portico_page_cache_total',
    help: 'Responses of the page cache by verdict.',
    labelNames: ['verdict', 'part'],
    registers,
  })
  // All series start at 0: otherwise rate() would not count the first response.
  for (const verdict of ['HIT', 'STALE', 'MISS', 'ERROR', 'PASS'] satisfies CacheVerdict[])
    for (const part of ['html', 'data', 'next-data'] satisfies Representation[]) responses.inc({ verdict, part }, 0)
  const tooLarge = new Counter({
    name: 'portico_page_cache_too_large_total',
    help: 'Entries that take more than a sixteenth of the memory.',
    registers,
  })
  new Gauge({
    name: 'portico_page_cache_bytes',
    help: 'Bytes of the entries: of pages that are kept, and of those in probation.',
    labelNames: ['segment'],
    registers,
    collect() {
      const { kept, probation } = figures()
      this.set({ segment: 'kept' }, kept)
      this.set({ segment: 'probation' }, probation)
    },
  })
  new Gauge({
    name: 'portico_page_cache_entries',
    help: 'Entries in memory.',
    registers,
    collect() {
      this.set(figures().entries)
    },
  })
  new Counter({
    name: 'portico_page_cache_evicted_total',
    help: 'Entries that were dropped for others.',
    registers,
    collect() {
      this.reset()
      this.inc(figures().evicted)
    },
  })
  addFeedMetrics(registry, feed)
  return {
    count: (verdict, part) => responses.inc({ verdict, part }),
    tooLarge: () => tooLarge.inc(),
  }
}
