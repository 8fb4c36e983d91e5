// What tests import of the inner functions and limits of the build; no other code imports this file.

export { unreadFiles } from './site-notes.ts'
export { siteTypes } from './site-types.ts'
export { mdxStatements } from './source/source.ts'
export { namesOfModule } from './source/syntax.ts'
export { asEsModule, contextFaults } from './transforms/common-js.ts'
export { replacePlace } from './transforms/module-place.ts'
export { findTemplates } from './transforms/template-imports.ts'
