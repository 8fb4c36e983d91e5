// What tests import of the inner functions and limits of the stack; no other code imports this file.

export { UNSCALED } from './plan/scale.ts'
export { missingPackage, reasonToBuild } from './start/build-if-needed.ts'
export { reasonToInstall } from './start/install-if-needed.mjs'
