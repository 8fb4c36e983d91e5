// GET /api/places/<slug>/postcards: what visitors wrote to a place, newest first.

import { notFound } from 'portico/server'
import { allowMethods, READ } from '../../../../lib/allow-methods.ts'
import { findPlace } from '../../../../lib/places.ts'
import { AUTHOR_COOKIE, authorOf } from '../../../../lib/postcard-author.ts'
import { loadPostcardStore } from '../../../../lib/postcard-store.ts'

export default allowMethods(READ, (request, response) => {
  const slug = request.query.slug
  const place = typeof slug === 'string' ? findPlace(slug) : undefined
  if (!place) notFound()
  // Visitors see which cards are their own, but not the writers of other cards.
  const author = authorOf(request.cookies[AUTHOR_COOKIE])
  response.status(200).json({ postcards: loadPostcardStore().list(place.slug, author) })
})
