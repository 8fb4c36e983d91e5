// GET /api/places: every place of the atlas, without its story.

import type { ApiRequest, ApiResponse } from 'portico'
import { listPlaces, toCard } from '../../../lib/places.ts'

export default function handler(request: ApiRequest, response: ApiResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD')
    response.status(405).json({ error: { status: 405, title: 'Method Not Allowed' } })
    return
  }
  // The list changes with a deploy only; a minute is short enough for anyone.
  response.setHeader('Cache-Control', 'public, max-age=60')
  response.status(200).json({ places: listPlaces().map(toPublicPlace) })
}

function toPublicPlace(place: Parameters<typeof toCard>[0]) {
  const { picture, ...card } = toCard(place)
  return { ...card, picture: picture.src, href: `/places/${place.slug}` }
}
