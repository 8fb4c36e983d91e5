// Runs scripts of which a result counts only when replicas of Redis have confirmed it: a record that was lost with the
// master would let the submission run again (A5).

import { connectRedis, isReadyWithin, type RedisClient, replicasOf } from '@portico/shared/kit/store/redis.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import type { Reply } from './redis-scripts.ts'

/** Longest wait for the replicas; shorter than the time limit of a command. */
const CONFIRM_LIMIT_MS = 500
const CONNECT_LIMIT_MS = 2000
/** Longest wait for earlier batches. */
const QUEUE_LIMIT_MS = 1000
const MOST_IN_BATCH = 200

export interface ConfirmedScript {
  /** `values` begin with the number of keys. Rejects when the script failed, or its result was not confirmed. */
  run(lua: string, values: readonly (string | number)[]): Promise<Reply>
  /** Rejects when the connection cannot be used now. */
  ping(): Promise<void>
  close(): void
}

/** Undefined at a server without replicas. The caller reports an unavailable store. */
export function openConfirmedScript(url: RedisUrl): ConfirmedScript | undefined {
  const replicas = replicasOf(url)
  if (replicas === 0) return undefined
  // WAIT holds its connection: other commands have their own.
  const redis = connectRedis(url, 'state', { connectionName: 'portico-actions-begin' })
  redis.on('error', () => {})
  return createConfirmedScript(redis, replicas)
}

interface Waiting {
  lua: string
  values: readonly (string | number)[]
  since: number
  resolve: (reply: Reply) => void
  reject: (error: unknown) => void
}

/** On a connection that nothing else uses; close() ends the connection. */
export function createConfirmedScript(redis: RedisClient, replicas: number): ConfirmedScript {
  let waiting: Waiting[] = []
  let isRunning = false
  const next = async (): Promise<void> => {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_IN_BATCH)
      waiting = waiting.slice(MOST_IN_BATCH)
      const late = batch.filter(({ since }) => performance.now() - since > QUEUE_LIMIT_MS)
      for (const { reject } of late) reject(new Error('the state store was busy with earlier submissions'))
      const current = batch.filter((each) => !late.includes(each))
      await runBatch(current).catch((error: unknown) => {
        for (const { reject } of current) reject(error)
      })
    }
    isRunning = false
  }
  const runBatch = async (batch: readonly Waiting[], isRepeated = false): Promise<void> => {
    if (batch.length === 0) return
    if (redis.status !== 'ready') throw new Error('the state store is not connected')
    // One pipeline is one connection to one node: WAIT counts what was written before it on the same connection. Scripts
    // are sent as text: one that Redis does not know would run again, behind WAIT.
    const pipeline = redis.pipeline()
    for (const { lua, values } of batch) pipeline.callBuffer('eval', lua, ...values)
    const results = (await pipeline.wait(replicas, CONFIRM_LIMIT_MS).exec()) ?? []
    const [fault, confirmed] = results[batch.length] ?? []
    const moved: Waiting[] = []
    for (const [at, each] of batch.entries()) {
      const { resolve, reject } = each
      const [error, reply] = results[at] ?? []
      if (!isRepeated && error?.message.startsWith('MOVED')) moved.push(each)
      else if (error ?? fault) reject(error ?? fault)
      else if (String((reply as Reply)[0]) !== 'started' || Number(confirmed) >= replicas) resolve(reply as Reply)
      else reject(new Error(`${confirmed} of ${replicas} replicas of the state store confirmed the submission`))
    }
    if (moved.length === 0) return
    // After a failover in a Cluster: a single command follows the redirection, and the client reads the slots again.
    await redis.exists(String(moved[0]?.values[1]))
    await runBatch(moved, true)
  }
  return {
    run: (lua, values) =>
      new Promise((resolve, reject) => {
        waiting.push({ lua, values, since: performance.now(), resolve, reject })
        // The submissions of one turn of the event loop are one batch.
        if (!isRunning) {
          isRunning = true
          setImmediate(() => void next())
        }
      }),
    async ping() {
      // After the start the client is still connecting.
      await isReadyWithin(redis, CONNECT_LIMIT_MS)
      await redis.ping()
    },
    close: () => redis.disconnect(),
  }
}
