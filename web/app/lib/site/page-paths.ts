// The addresses of the atlas. Data functions only.

import { listDocs } from '../docs/docs.ts'
import { listCollectionPaths } from '../places/collections.ts'
import { listPlaces } from '../places/places.ts'

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
