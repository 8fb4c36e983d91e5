// What a Redis reports about itself: memory and evictions (O7). A service of the stack reads it, so that the servers need
// no exporter and no further user.

import { Counter, Gauge, type Registry } from '@prometheus-io/client'

interface RedisFigures {
  usedBytes: number
  /** `maxmemory`; 0: none. */
  limitBytes: number
  evictedKeys: number
}

/** Scrapes within this time share one reading, however many programs scrape. */
const REUSED_MS = 5000
/** A scrape does not wait longer for Redis. */
const READ_TIMEOUT_MS = 500

interface RedisMetricsDeps {
  registry: Registry
  store: 'state' | 'cache'
  /** Replies to INFO, one for each server that holds data; undefined or rejected: Redis is unavailable. */
  readInfo: () => Promise<readonly string[] | undefined>
  /** Milliseconds of a monotonic clock. */
  now?: () => number
  timeoutMs?: number
}

/** Registers the metrics; a scrape reads them. */
export function addRedisMetrics(deps: RedisMetricsDeps): void {
  const { registry, store } = deps
  const read = createReading(deps)
  const registers = [registry]
  const labelNames = ['store']
  new Gauge({
    name: 'portico_redis_up',
    help: '1 while the Redis of the store responds to this replica.',
    labelNames,
    registers,
    async collect() {
      this.set({ store }, (await read()) ? 1 : 0)
    },
  })
  new Gauge({
    name: 'portico_redis_memory_used_bytes',
    help: 'Memory of the Redis of the store. No value while Redis is unavailable.',
    labelNames,
    registers,
    async collect() {
      this.reset()
      const figures = await read()
      if (figures) this.set({ store }, figures.usedBytes)
    },
  })
  new Gauge({
    name: 'portico_redis_memory_limit_bytes',
    help: 'Memory limit (maxmemory) of the Redis of the store; 0: none. No value while Redis is unavailable.',
    labelNames,
    registers,
    async collect() {
      this.reset()
      const figures = await read()
      if (figures) this.set({ store }, figures.limitBytes)
    },
  })
  new Counter({
    name: 'portico_redis_evicted_keys_total',
    help: 'Keys that the Redis of the store evicted since its start, as Redis counts them.',
    labelNames,
    registers,
    async collect() {
      const figures = await read()
      if (!figures) return
      this.reset()
      this.inc({ store }, figures.evictedKeys)
    },
  })
}

/** Reads at most once in REUSED_MS; undefined while Redis is unavailable. */
function createReading({ readInfo, now = () => performance.now(), timeoutMs = READ_TIMEOUT_MS }: RedisMetricsDeps) {
  let begunAt = Number.NEGATIVE_INFINITY
  let reading: Promise<RedisFigures | undefined> = Promise.resolve(undefined)
  return () => {
    if (now() - begunAt < REUSED_MS) return reading
    begunAt = now()
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), timeoutMs)
    // portico_redis_up shows the fault; the log has its reason from the users of the store.
    const figures = readInfo().then(
      (texts) => texts && sumOf(texts.map(parseInfo)),
      () => undefined,
    )
    reading = Promise.race([figures, late]).finally(() => clearTimeout(timer))
    return reading
  }
}

interface Server {
  info(): Promise<string>
}

/** The replies to INFO of a server, or of all masters of a Cluster. */
export function readInfo(redis: Server & { nodes?: (role: 'master') => Server[] }): Promise<string[]> {
  const servers = redis.nodes?.('master') ?? [redis]
  return Promise.all(servers.map((server) => server.info()))
}

/** Reads the reply to INFO; a missing field is 0. */
export function parseInfo(text: string): RedisFigures {
  const field = (name: string) => Number(RegExp(`^${name}:(\\d+)\\r?$`, 'm').exec(text)?.[1] ?? 0)
  return { usedBytes: field('used_memory'), limitBytes: field('maxmemory'), evictedKeys: field('evicted_keys') }
}

function sumOf(all: readonly RedisFigures[]): RedisFigures {
  const sum = (name: keyof RedisFigures) => all.reduce((total, figures) => total + figures[name], 0)
  return { usedBytes: sum('usedBytes'), limitBytes: sum('limitBytes'), evictedKeys: sum('evictedKeys') }
}
