// Load for tests of Redis: changes that are counted in the state store and read by two processes (C5, D6).

import { setTimeout as sleep } from 'node:timers/promises'
import { INVALIDATION_CHANNEL, PROCESS_LIMIT_MS } from '../../wire/invalidation.ts'
import { openFeed } from '../feed/open-feed.ts'
import { createRedisGenerations } from '../feed/redis-generations.ts'
import { createLog } from '../observe/log.ts'
import { connectRedis, isReadyWithin } from '../store/redis.ts'
import type { RedisUrl } from '../store/redis-address.ts'
import { CONNECT_LIMIT_MS, createGauge, createTurns } from './load.ts'

const log = createLog('test', 'silent')

/** Changes that two processes learn of by the channel and the marks alone, as if no HTTP message had reached them. */
export async function loadInvalidations(actionsUrl: RedisUrl, rendererUrl: RedisUrl) {
  const redis = connectRedis(actionsUrl, 'state')
  redis.on('error', () => {})
  if (!(await isReadyWithin(redis, CONNECT_LIMIT_MS))) throw new Error('no connection to the state store')
  const generations = createRedisGenerations(redis)
  const feeds = await Promise.all(
    ['one', 'two'].map((name) => openFeed({ stateRedisUrl: rendererUrl, dataDir: '' }, name, log)),
  )
  const gauge = createGauge()
  let stale = 0
  let count = 0
  const checks: Promise<void>[] = []
  const stop = createTurns(1, async () => {
    const path = `/page-${count++}`
    const before = feeds.map((feed) => feed.asOf())
    try {
      const change = { paths: [path], tags: [] }
      const message = { ...(await generations.raise(change)), ...change, everything: false }
      gauge.note(true)
      redis.publish(INVALIDATION_CHANNEL, JSON.stringify(message)).catch(() => {})
      const check = sleep(PROCESS_LIMIT_MS + 100).then(() => {
        // A process that uses data of before the change, and believes that it knows all marks.
        stale += feeds.filter((feed, at) => feed.isConfirmed() && feed.isCurrent(before[at]!, path, [])).length
      })
      checks.push(check)
    } catch {
      gauge.note(false)
    }
    await sleep(20)
  })
  return {
    async stop() {
      await stop()
      const figures = gauge.read()
      await Promise.all(checks)
      const marksLost = feeds.map((feed) => feed.marksLost())
      const confirmed = await Promise.all(feeds.map((feed) => feed.confirm()))
      for (const feed of feeds) feed.close()
      redis.disconnect()
      return { ...figures, stale, marksLost, confirmed }
    },
  }
}
