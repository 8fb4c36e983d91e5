// What tests import of the inner functions and limits of the browser side; no other code imports this file.

export { describeViolation, evalRemedy } from './dev/blocked-resources.ts'
export { orderStyles } from './dev/style-order.ts'
