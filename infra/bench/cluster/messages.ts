// The invalidation feed of a whole cluster: reads of the marks, and messages of changes.

import { setTimeout as sleep } from 'node:timers/promises'
import { createPublisher } from '@portico/shared/kit/feed/publish.ts'
import { createRedisGenerations } from '@portico/shared/kit/feed/redis-generations.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { connectRedis } from '@portico/shared/kit/store/redis.ts'
import { startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { percentile } from '../gateway/pace.ts'
import { median, processorMs } from '../processes.ts'
import { addressesOf, type InnerPorts, reached, start } from './control.ts'
import type { MessageFigures, ReadFigures } from './figures.ts'
import { TOKEN } from './inner-ports.ts'

const CHANGES = 40
const PAUSE_MS = 150
const WARM_MS = 2000

type Redis = ReturnType<typeof connectRedis>

interface Options {
  child: InnerPorts
  /** Gateways, renderers and actions services. */
  processes: number
  seconds: number
}

/** Processes with a feed each, on one Redis, and one publisher in this process. */
export async function measureMessages(options: Options): Promise<{ reads: ReadFigures; messages: MessageFigures }> {
  const { child, processes } = options
  const server = await startRedis()
  const redis = connectRedis(server.url, 'feed', { enableOfflineQueue: true })
  try {
    const store = createRedisGenerations(redis)
    await store.raise({ paths: [], tags: [] })
    await start(child, { addresses: addressesOf(processes), port: child.port, redisUrl: server.url.href })
    await sleep(WARM_MS)
    const reads = await measureReads(options, redis)
    const marksOnlyMs = await measureMarksOnly(child, store)
    return { reads, messages: { ...(await measureChanges(options, redis, reads)), marksOnlyMs } }
  } finally {
    redis.disconnect()
    await server.stop()
  }
}

async function measureReads({ child, processes, seconds }: Options, redis: Redis): Promise<ReadFigures> {
  const before = await costs(child, redis)
  await sleep(1000 * seconds)
  const after = await costs(child, redis)
  const reads = after.reads - before.reads
  return {
    processes,
    perSecond: reads / seconds,
    readMs: (after.processMs - before.processMs) / reads,
    redisMs: (after.redisMs - before.redisMs) / reads,
  }
}

async function measureChanges(
  { child, processes }: Options,
  redis: Redis,
  { readMs, redisMs }: ReadFigures,
): Promise<Omit<MessageFigures, 'marksOnlyMs'>> {
  const publisher = createPublisher({
    store: createRedisGenerations(redis),
    broadcast: (channel, text) => redis.publish(channel, text),
    innerUrls: [[new URL(`http://replicas.test:${child.port}`)]],
    lookup: async () => addressesOf(processes),
    token: () => TOKEN,
    log: createLog('actions', 'silent'),
  })
  const times: number[] = []
  let confirmed = 0
  const publish = async (change: number) => {
    const beganAt = performance.now()
    const { reached } = await publisher.publishAndCount({ paths: [`/places/${change}`], tags: ['places'] })
    times.push(performance.now() - beganAt)
    confirmed += reached[0]?.confirmed ?? 0
    await sleep(PAUSE_MS)
  }
  await publish(-1)
  times.length = 0
  confirmed = 0
  const before = await costs(child, redis)
  for (let change = 0; change < CHANGES; change++) await publish(change)
  const { user, system } = process.cpuUsage(before.own)
  const after = await costs(child, redis)
  publisher.close()
  const messages = CHANGES * processes
  // The reads go on meanwhile.
  const reads = after.reads - before.reads
  return {
    processes,
    changes: CHANGES,
    confirmedShare: confirmed / messages,
    publisherMs: (user + system) / 1000 / messages,
    receiverMs: Math.max(0, after.processMs - before.processMs - reads * readMs) / messages,
    redisMs: Math.max(0, after.redisMs - before.redisMs - reads * redisMs) / CHANGES,
    allConfirmedMs: median(times),
    allConfirmedP95Ms: percentile(times, 0.95),
  }
}

/** Time until every process has read a change that no message announced. */
async function measureMarksOnly(child: InnerPorts, store: ReturnType<typeof createRedisGenerations>): Promise<number> {
  const times: number[] = []
  for (let change = 0; change < 5; change++) {
    const beganAt = Date.now()
    const { generation } = await store.raise({ paths: [`/unannounced/${change}`], tags: [] })
    times.push((await reached(child, generation)) - beganAt)
  }
  return median(times)
}

/** Processor time so far, and reads of the marks that Redis has counted. */
async function costs(child: InnerPorts, redis: Redis) {
  const text = `${await redis.info('cpu')}\n${await redis.info('commandstats')}`
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)
  return {
    own: process.cpuUsage(),
    processMs: processorMs(child.process.pid),
    redisMs: 1000 * (number(/^used_cpu_sys:([\d.]+)/m) + number(/^used_cpu_user:([\d.]+)/m)),
    reads: number(/^cmdstat_exec:calls=(\d+)/m),
  }
}
