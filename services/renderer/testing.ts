// What tests import of the inner functions and limits of the renderer; no other code imports this file.

export { findPropFaults } from './dev/json-props.ts'
