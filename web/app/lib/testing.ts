// What tests import of the inner functions and limits of the site; no other code imports this file.

export { excerptOf, markHits } from './docs/docs-search.ts'
export { IMAGES_LOCK } from './postcards/store/postgres-store.ts'
export { TABLES_LOCK } from './postcards/store/postgres-tables.ts'
