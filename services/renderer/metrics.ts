// Counts the responses with pages that are the same for all clients (O7).

import { Counter, type Registry } from '@prometheus-io/client'
import type { PageCacheVerdict } from './outcome/outcome.ts'

/** Registers the counter. Each verdict starts at zero, so that a rate includes the first response. */
export function createPageCacheCounter(registry: Registry): (verdict: PageCacheVerdict) => void {
  const counts: Record<PageCacheVerdict, number> = { HIT: 0, STALE: 0, MISS: 0, FALLBACK: 0 }
  new Counter({
    name: 'portico_page_cache_total',
    help: 'Pages and page data requested from the page cache, by verdict.',
    labelNames: ['verdict'],
    registers: [registry],
    collect() {
      // A counter looks its series up at each step, which takes longer than the look-up in the page cache.
      this.reset()
      for (const [verdict, count] of Object.entries(counts)) this.inc({ verdict }, count)
    },
  })
  return (verdict) => {
    counts[verdict]++
  }
}
