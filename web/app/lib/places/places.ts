// Places joined with their images. Only data functions, actions and API handlers import this file: the browser code
// must not contain the stories.

import landscapes from '../../content/landscapes.json' with { type: 'json' }
import { type Place, type PlaceKind, places } from '../../content/places.ts'

export interface PlaceImage {
  src: string
  width: number
  height: number
  /** Tiny data URL, shown blurred until the image is loaded. */
  placeholder: string
}

/** The part of a place for cards, search results and lists. */
export interface PlaceCard {
  slug: string
  name: string
  region: string
  kind: PlaceKind
  summary: string
  coordinates: string
  /** Place in the index of the atlas, from 1. */
  plate: number
  image: PlaceImage
}

const bySlug = new Map(places.map((place) => [place.slug, place]))
const images: Readonly<Record<string, PlaceImage>> = landscapes

/** All places in the order of the index. */
export function listPlaces(): readonly Place[] {
  return places
}

export function findPlace(slug: string): Place | undefined {
  return bySlug.get(slug)
}

/** The short form of a place. Throws for a place without an image: a fault of the content, found by its test. */
export function toCard(place: Place): PlaceCard {
  const image = images[place.slug]
  if (!image) throw new Error(`content/landscapes.json has no image of ${place.slug}`)
  return {
    slug: place.slug,
    name: place.name,
    region: place.region,
    kind: place.kind,
    summary: place.summary,
    coordinates: formatCoordinates(place.coordinates),
    plate: places.indexOf(place) + 1,
    image: { src: image.src, width: image.width, height: image.height, placeholder: image.placeholder },
  }
}

/** `68.21° N 2.87° W`. */
function formatCoordinates({ latitude, longitude }: Place['coordinates']): string {
  const degrees = (value: number, positive: string, negative: string) =>
    `${Math.abs(value).toFixed(2)}° ${value < 0 ? negative : positive}`
  return `${degrees(latitude, 'N', 'S')} ${degrees(longitude, 'E', 'W')}`
}
