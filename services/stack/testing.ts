// What tests import of the inner functions and limits of the stack; no other code imports this file.

export { missingPackage, reasonToBuild } from './build-if-needed.ts'
export { reasonToInstall } from './install-if-needed.mjs'
export { UNSCALED } from './plan/scale.ts'
