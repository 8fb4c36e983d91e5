// The addresses of the atlas. Data functions only.

import { listCollectionPaths } from './collections.ts'
import { listDocs } from './docs.ts'
import { listPlaces } from './places.ts'

/** Paths of all pages worth finding, in the order of the menu. */
export function listPagePaths(): string[] {
  return [
    '/',
    ...listPlaces().map(({ slug }) => `/places/${slug}`),
    '/collections',
    ...listCollectionPaths().map((path) => `/collections/${path}`),
    ...listDocs().map(({ href }) => href),
    '/lab',
    '/about',
  ]
}
