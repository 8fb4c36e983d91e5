// What tests import of the inner functions and limits of the actions service; no other code imports this file.

export {
  createCdnMetrics,
  createPurger,
  createPurgeSender,
  PurgeError,
  ROLLOUT_MS,
  SETTLE_MS,
} from './cdn-purge/cdn-purge.ts'
export { BATCH_TAGS, QUEUE_LIMIT } from './cdn-purge/plan-purge.ts'
export { createConfirmedScript } from './store/redis-store.ts'
export { createSums } from './store/sqlite-records.ts'
export { createBatch } from './store/sqlite-store.ts'
export { createLeaseKeeper, createWaitingRoom } from './submission/submit-once.ts'
