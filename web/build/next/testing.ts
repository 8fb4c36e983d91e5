// What tests import of the inner functions and lists of compatibility mode; no other code imports this file.

export { MAPPED_FIELDS } from './fields/map-config.ts'
export { kindsOf } from './initial/initial-pages.ts'
export { MODULES_OF_NEXT } from './modules/next-modules.ts'
export { replacePublicReads } from './plugins/code-env/code-env.ts'
export { replaceFonts } from './plugins/fonts/fonts.ts'
export { withJsxSource } from './plugins/jsx-source/jsx-source.ts'
export { withoutConsole } from './plugins/remove-console/remove-console.ts'
export { compileStyles } from './plugins/styled-jsx/styled-jsx.ts'
