// GET /api/places: every place of the atlas, without its story.

import { listPlaces, toCard } from '../../../lib/places/places.ts'
import { allowMethods, READ } from '../../../lib/site/allow-methods.ts'

export default allowMethods(READ, (_request, response) => {
  // The list changes with a deploy only; a minute is short enough for anyone.
  response.setHeader('Cache-Control', 'public, max-age=60')
  response.status(200).json({ places: listPlaces().map(toPublicPlace) })
})

function toPublicPlace(place: Parameters<typeof toCard>[0]) {
  const { image, ...card } = toCard(place)
  return { ...card, picture: image.src, href: `/places/${place.slug}` }
}
