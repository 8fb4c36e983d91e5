// The first steps of a request: its record, the refusal of malformed requests, the limits of one client, and the access
// line at the end. After these steps every request is unambiguous for all programs behind the gateway.

export { createAccessLog } from './access-log.ts'
export { createExchangeBeginner } from './begin-exchange.ts'
export { createGuard } from './guard.ts'
export { createPostLimit, createRequestLimit, type PostLimitDeps } from './limits.ts'
export { createUpgrader } from './upgrade.ts'
