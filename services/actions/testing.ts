// What tests import of the inner functions and limits of the actions service; no other code imports this file.

export { BATCH_TAGS, QUEUE_LIMIT } from './cdn/plan-purge.ts'
export { ROLLOUT_MS, SETTLE_MS } from './cdn/purger.ts'
export { createConfirmedScript } from './submission/store/confirmed-script.ts'
