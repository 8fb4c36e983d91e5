// What tests import of the inner functions and limits of the kit; no other code imports this file.

export { isPublicAddress } from './addresses/address-guard.ts'
export { createMarks } from './feed/marks.ts'
export { AFTER_TASKS_LIMIT, AFTER_TASKS_OF_REQUEST, AFTER_TIMEOUT_MS } from './life/after/after-tasks.ts'
export { connectionsToClose } from './life/connection-limits.ts'
