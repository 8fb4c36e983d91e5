// Opens the purges of one actions process at a CDN; without CDN_PURGE_URL there are none (C6).

import type { Feed } from '@portico/shared/kit/feed/feed.ts'
import type { GenerationReader } from '@portico/shared/kit/feed/generations.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Registry } from '@prometheus-io/client'
import type { Clock } from '../clock.ts'
import { createCdnMetrics } from './cdn-metrics.ts'
import type { PurgeProgressStore } from './purge-progress.ts'
import { createPurger, type Purger } from './purger.ts'
import { createPurgeSender, type PurgeTarget } from './send-purge.ts'

interface OpenPurgerOptions {
  hasCdnTags: boolean
  cdnPurge: PurgeTarget | undefined
  /** Undefined under development. */
  version: string | undefined
  feed: Pick<Feed, 'position' | 'asOf'>
  generations: Pick<GenerationReader, 'read'>
  openProgress: () => PurgeProgressStore
  registry: Registry
  clock: Clock
  log: Log
}

/** Undefined where nothing is purged. */
export function openPurger({
  hasCdnTags,
  cdnPurge,
  version,
  openProgress,
  ...parts
}: OpenPurgerOptions): Purger | undefined {
  if (!hasCdnTags || version === undefined) return undefined
  if (!cdnPurge) {
    parts.log.warn(
      { event: 'cdn-purge-off' },
      'CDN_TAGS is on without CDN_PURGE_URL: the CDN keeps pages after changes',
    )
    return undefined
  }
  const metrics = createCdnMetrics(parts.registry)
  return createPurger({ ...parts, version, metrics, store: openProgress(), send: createPurgeSender(cdnPurge) })
}
