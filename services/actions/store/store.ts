// Where submissions are kept (A5, A9): in a SQLite file below DATA_DIR for a single machine, or in the state Redis for all
// replicas, by one contract (submission-store.ts). Of two simultaneous callers one starts a submission, each record counts
// against three budgets, and responses are sealed. The Redis client is loaded only if there is a Redis. When a submission
// begins, waits and ends is left to submission/.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import type { Seal, StoreEvents } from './submission-store.ts'

export { createSqliteStore } from './sqlite-store.ts'
export {
  type BeginResult,
  BUDGETS,
  createSeal,
  type Holder,
  type Kept,
  type StoreEvents,
  type SubmissionStore,
} from './submission-store.ts'

/** What a store of submissions is made of. */
export interface StoreDeps {
  seal: Seal
  events: StoreEvents
  now: () => number
  log: Log
}

/** Opens the store in the state Redis, and returns the connection for its other users. Loads the Redis client. */
export async function openRedisSubmissions(url: RedisUrl, deps: StoreDeps) {
  const { createRedisStore, createStateRedis, openConfirmedScript } = await import('./redis-store.ts')
  const redis = createStateRedis(url, deps)
  return { redis, submissions: createRedisStore(redis, { ...deps, confirmed: openConfirmedScript(url) }) }
}
