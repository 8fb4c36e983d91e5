// What tests import of the inner functions and limits of the renderer; no other code imports this file.

export { findPropFaults, propFaultsText } from './dev/dev-bundle.ts'
export { isKnownPath, readIndex, readPage } from './prerendered/prerendered.ts'
export { contentSecurityPolicy } from './render/document.ts'
