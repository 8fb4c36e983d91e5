// What tests import of the inner functions and limits of the browser side; no other code imports this file.

export { describeViolation, evalRemedy } from './dev/blocked-resources.ts'
export { attributesOf, differenceOfConsole, differenceOfError } from './dev/browser-faults.ts'
export { parseSourceMap } from './dev/map-stack.ts'
export { type BadgeInput, badgeOf } from './dev/panel.ts'
export { orderStyles } from './dev/style-order.ts'
export { markNavigations, streamsLeft } from './navigation/router.ts'
