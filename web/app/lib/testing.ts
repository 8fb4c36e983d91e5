// What tests import of the inner functions and limits of the site; no other code imports this file.

export { excerptOf, markHits } from './docs/docs-search.ts'
