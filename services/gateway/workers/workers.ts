// The worker processes of a gateway, as the primary sees them: starting, replacing, and ending them, calls in both
// directions, and the sum of their metrics. primary.ts and worker.ts are the two processes.

export { type Calls, createCalls } from './calls.ts'
export { createMember, type SharedHandlers } from './member.ts'
export { createCounts, mergeMetrics } from './merge-metrics.ts'
export { createPool, type Pool } from './pool.ts'
export { createRecentMessages } from './recent-messages.ts'
export type { PrimaryCalls, WorkerCalls } from './wire.ts'
