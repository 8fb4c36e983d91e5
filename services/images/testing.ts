// What tests import of the inner functions and limits of the image service; no other code imports this file.

export { PURGE_COUNTER_KEY, REDIS_PREFIX, variantKeyOf } from './cache/cache-redis.ts'
export { estimateCost } from './make/shape-variant.ts'
export { FairTurns } from './queue/queue.ts'
export { negotiateFormat, parseImageRequest } from './request/request.ts'
export { readLifetimeSeconds, readTags } from './source/source.ts'
