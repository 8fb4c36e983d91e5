// GET /api/places/<slug>/postcards: the postcards of a place, newest first.

import { notFound } from 'portico/server'
import { findPlace } from '../../../../lib/places/places.ts'
import { AUTHOR_COOKIE, authorOf } from '../../../../lib/postcards/postcard-author.ts'
import { loadPostcardStore } from '../../../../lib/postcards/store/load-store.ts'
import { allowMethods, READ } from '../../../../lib/site/allow-methods.ts'

export default allowMethods(READ, async (request, response) => {
  const slug = request.query.slug
  const place = typeof slug === 'string' ? findPlace(slug) : undefined
  if (!place) notFound()
  // A client sees which cards are its own, but not the writers of other cards.
  const author = authorOf(request.cookies[AUTHOR_COOKIE])
  const store = await loadPostcardStore()
  response.status(200).json({ postcards: await store.list(place.slug, author) })
})
