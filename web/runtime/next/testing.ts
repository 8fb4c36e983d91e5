// What tests import of the inner functions and limits of the modules of Next.js; no other code imports this file.

export { isAttribute } from './document-head.ts'
export { formatUrl } from './urls.ts'
