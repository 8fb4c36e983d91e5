// The page cache: entries in bounded memory, their age, and fills, of which one key has one at a time. It guarantees
// that an entry is for all clients. Which request may use it decides send/page.ts; the renderer decides what may be
// kept.

export type { CacheMetrics } from './cache-metrics.ts'
export { STALE_LIMIT_MS, type Verdict } from './decide.ts'
export { READING_LIMIT_BYTES } from './entry-request.ts'
export type { Filled } from './fill.ts'
export { type Form, type KeptEntry, type Part, sizeOf } from './kept-entry.ts'
export { type OpenedPageCache, openPageCache, type PageCacheOptions } from './open-page-cache.ts'
export { type PageCache, type PageSituation, VERDICTS } from './page-cache.ts'
export { type CacheBypass, isNotFoundScreen, notFoundScreen, type Page, pageOf } from './page-key.ts'
