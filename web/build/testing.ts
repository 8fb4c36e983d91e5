// What tests import of the inner functions and limits of the build; no other code imports this file.

export { namesOfModule } from './folder/common-js-names.ts'
export { siteTypes } from './folder/site-types.ts'
export { asEsModule, contextFaults } from './transforms/common-js.ts'
export { replacePlace } from './transforms/module-place.ts'
export { mdxStatements } from './transforms/read-source.ts'
export { findTemplates } from './transforms/template-imports.ts'
export { unreadFiles } from './unread-files.ts'
