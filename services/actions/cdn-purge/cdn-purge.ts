// Purges of a CDN in front of the gateway (C6): follows the invalidation feed, so that changes of every publisher are
// sent, one replica at a time, each change once, again until the CDN has confirmed it. Without CDN_PURGE_URL there are
// none. What must be purged is decided in plan-purge.ts; how far the purges are is kept by purge-progress.ts.

import { cacheTagOf } from '@portico/shared/kit/cdn/cache-tags.ts'
import type { Feed } from '@portico/shared/kit/feed/feed.ts'
import type { GenerationReader, MarksSince } from '@portico/shared/kit/feed/generations.ts'
import { backOff } from '@portico/shared/kit/life/restart/back-off.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { PROCESS_LIMIT_MS } from '@portico/shared/wire/invalidation.ts'
import { parseRetryAfter } from '@portico/shared/wire/retry.ts'
import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { Clock } from '../clock.ts'
import { type PlanOptions, type PurgePlan, type PurgeProgress, planPurge } from './plan-purge.ts'
import type { PurgeProgressStore } from './purge-progress.ts'

export { createRedisPurgeProgress, createSqlitePurgeProgress, type PurgeProgressStore } from './purge-progress.ts'

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

/**
 * From the change to its purge: so long a gateway may send the earlier page (C5), and as much for a response that is on
 * its way to the CDN. A CDN that received it after the purge would keep it.
 */
export const SETTLE_MS = PROCESS_LIMIT_MS + 500
/** How often the position of the feed is compared, in memory. */
const POLL_MS = 100
/** Another replica sends. */
const BUSY_MS = 500
/** Pauses after failed requests, doubled up to the longest one. */
const PAUSES = { firstMs: 1000, longestMs: 60_000 }
/**
 * Gateways of the earlier version give their pages to the CDN until they are replaced: after this time these pages are
 * purged once more.
 */
export const ROLLOUT_MS = 10 * 60 * 1000

interface PurgerDeps {
  feed: Pick<Feed, 'position' | 'asOf'>
  generations: Pick<GenerationReader, 'read'>
  store: PurgeProgressStore
  send: PurgeSender
  /** Build id, public values and basePath (C2): a new version purges everything. */
  version: string
  clock: Clock
  metrics: CdnMetrics
  log: Pick<Log, 'info' | 'warn' | 'debug'>
  /** From 0 to 1. */
  random?: () => number
}

export interface Purger {
  start(): void
  /** Resolves when nothing is sent any more; what was not confirmed is sent after the next start. */
  close(): Promise<void>
}

export function createPurger(deps: PurgerDeps): Purger {
  const { feed, store, clock, metrics, log, random = Math.random } = deps
  const stop = new AbortController()
  const { signal } = stop
  const late: string[] = []
  let cancelLate = () => {}
  let running: Promise<void> | undefined
  /**
   * `era`: of the feed, which begins another one when the store lost marks. `isEmpty`: the feed knew an empty store, which
   * has no marks to lose.
   */
  let handled: { epoch: string; generation: number; era: number; isEmpty: boolean } | undefined
  let attempt = 0

  const isHandled = (): boolean => {
    const { epoch, generation } = feed.position()
    // The feed has not read the store yet.
    if (epoch === undefined) return true
    if (!handled || late.length > 0) return false
    return epoch === handled.epoch && generation === handled.generation && feed.asOf().era === handled.era
  }

  const run = createRound(deps, signal)
  const round = async (): Promise<number> => {
    const { era } = feed.asOf()
    const isEmpty = feed.position().epoch === ''
    const extra = late.slice()
    try {
      // Only a process that starts compares its version: during a rollout two versions run next to each other.
      const comparesVersion = handled === undefined
      const isLost = handled !== undefined && handled.era !== era && !handled.isEmpty
      const done = await run({ comparesVersion, isLost, extra })
      if (done === 'busy') return BUSY_MS
      late.splice(0, extra.length)
      handled = { ...done.read, era, isEmpty }
      if (done.replaced !== undefined) {
        const tag = cacheTagOf('version', done.replaced)
        cancelLate = clock.after(ROLLOUT_MS, () => void late.push(tag))
      }
      if (attempt > 0) log.info({ event: 'cdn-purge-back' }, 'CDN confirms purges again')
      attempt = 0
      return POLL_MS
    } catch (error) {
      if (signal.aborted) return 0
      await store.release().catch(() => {})
      // The connection reports an unavailable store.
      if (!(error instanceof PurgeError)) {
        log.debug({ error }, 'progress of purges not read')
        return PAUSES.firstMs
      }
      metrics.failed()
      // One line per outage, not one per attempt.
      if (attempt === 0) log.warn({ event: 'cdn-purge-failed', error }, 'purge not confirmed by the CDN, sent again')
      const pauseMs = backOff(PAUSES, ++attempt) * (0.5 + random() / 2)
      return Math.min(Math.max(pauseMs, error.retryAfterMs), PAUSES.longestMs)
    }
  }

  const loop = async (): Promise<void> => {
    while (!signal.aborted) await clock.sleep(isHandled() ? POLL_MS : await round(), signal)
    cancelLate()
    await store.release().catch(() => {})
    store.close()
  }

  return {
    start() {
      running ??= loop()
    },
    async close() {
      stop.abort()
      await running
    },
  }
}

interface RoundOptions extends Pick<PlanOptions, 'isLost' | 'extra'> {
  comparesVersion: boolean
}

interface Done {
  read: Pick<MarksSince, 'epoch' | 'generation'>
  /** The version that this one replaced. */
  replaced?: string | undefined
}

/** One round: from the last progress up to all that the store has counted. */
function createRound(deps: PurgerDeps, signal: AbortSignal) {
  const { generations, store, send, version, clock, metrics, log } = deps

  const purge = async (plan: PurgePlan, end: PurgeProgress): Promise<boolean> => {
    if (plan.kind === 'tags') {
      for (const { tags, through } of plan.batches) {
        await send({ everything: false, tags }, signal)
        metrics.sent()
        log.debug({ event: 'cdn-purge', tags: tags.length }, 'purged at the CDN')
        if (!(await store.save({ ...end, generation: through }))) return false
      }
      return true
    }
    if (plan.kind === 'everything') {
      await send({ everything: true, tags: [] }, signal)
      metrics.sent()
      log.info({ event: 'cdn-purge', everything: true, reason: plan.reason }, 'purged everything at the CDN')
    }
    return store.save(end)
  }

  return async function run({ comparesVersion, ...options }: RoundOptions): Promise<Done | 'busy'> {
    const claimed = await store.claim()
    if (!claimed) return 'busy'
    const { progress } = claimed
    const read = await generations.read(progress?.generation ?? 0)
    const plan = planPurge(progress, read, { version: comparesVersion ? version : undefined, ...options })
    metrics.queued(plan.kind === 'nothing' ? 0 : Math.max(read.marks.length, 1))
    if (plan.kind !== 'nothing') await clock.sleep(SETTLE_MS, signal)
    if (signal.aborted) return 'busy'
    const kept = comparesVersion ? version : (progress?.version ?? version)
    const isSaved = await purge(plan, { version: kept, epoch: read.epoch, generation: read.generation })
    if (!isSaved) return 'busy'
    metrics.queued(0)
    await store.release()
    const { epoch, generation } = read
    return { read: { epoch, generation }, replaced: progress?.version === kept ? undefined : progress?.version }
  }
}

/** The body, as JSON: every page, or the pages with one of the tags. */
interface PurgeMessage {
  everything: boolean
  tags: readonly string[]
}

/** The request failed, or its response was no success. */
export class PurgeError extends Error {
  override name = 'PurgeError'
  /** What Retry-After demands. */
  readonly retryAfterMs: number
  constructor(message: string, { retryAfterMs = 0, cause }: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}

const TIMEOUT_MS = 10_000

interface PurgeTarget {
  url: URL
  authorization: string | undefined
}

type PurgeSender = (message: PurgeMessage, signal: AbortSignal) => Promise<void>

/** The sender rejects with PurgeError. */
export function createPurgeSender({ url, authorization }: PurgeTarget, timeoutMs = TIMEOUT_MS): PurgeSender {
  const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) }
  return async function sendPurge(message, signal) {
    const body = JSON.stringify(message)
    const late = AbortSignal.timeout(timeoutMs)
    // SECURITY: the authorization must not follow a redirect to another host.
    const options = {
      method: 'POST',
      headers,
      body,
      redirect: 'error',
      signal: AbortSignal.any([signal, late]),
    } as const
    const response = await fetch(url, options).catch((cause: unknown) => {
      throw new PurgeError(late.aborted ? `no response within ${timeoutMs} ms` : 'the request failed', { cause })
    })
    await response.body?.cancel()
    if (response.ok) return
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', Date.now()) ?? 0
    throw new PurgeError(`the response has the status ${response.status}`, { retryAfterMs })
  }
}

interface CdnMetrics {
  queued(names: number): void
  sent(): void
  failed(): void
}

export function createCdnMetrics(registry: Registry): CdnMetrics {
  const registers = [registry]
  const queue = new Gauge({
    name: 'portico_cdn_purge_queued',
    help: 'Paths and tags that are out of date and not yet purged at the CDN, as of the last attempt of this replica.',
    registers,
  })
  const requests = new Counter({
    name: 'portico_cdn_purges_total',
    help: 'Requests to CDN_PURGE_URL by result.',
    labelNames: ['result'],
    registers,
  })
  // rate() would not count the first failure.
  for (const result of ['sent', 'failed']) requests.inc({ result }, 0)
  return {
    queued: (names) => queue.set(names),
    sent: () => requests.inc({ result: 'sent' }),
    failed: () => requests.inc({ result: 'failed' }),
  }
}
