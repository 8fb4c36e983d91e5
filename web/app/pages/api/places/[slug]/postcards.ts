// GET /api/places/<slug>/postcards: what visitors wrote to a place, newest first.

import type { ApiRequest, ApiResponse } from 'portico'
import { findPlace } from '../../../../lib/places.ts'
import { AUTHOR_COOKIE, authorOf } from '../../../../lib/postcard-author.ts'
import { loadPostcardStore } from '../../../../lib/postcard-store.ts'

export default function handler(request: ApiRequest, response: ApiResponse): void {
  response.setHeader('Cache-Control', 'no-store')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD')
    response.status(405).json({ error: { status: 405, title: 'Method Not Allowed' } })
    return
  }
  const slug = request.query.slug
  const place = typeof slug === 'string' ? findPlace(slug) : undefined
  if (!place) {
    response.status(404).json({ error: { status: 404, title: 'This page could not be found' } })
    return
  }
  // Who asks sees which cards are theirs; nobody sees whose the others are.
  const author = authorOf(request.cookies[AUTHOR_COOKIE])
  response.status(200).json({ postcards: loadPostcardStore().list(place.slug, author) })
}
