// Places joined with their pictures. Only data functions, actions and API handlers import this file: the browser code must
// not contain the stories.

import landscapes from '../../content/landscapes.json' with { type: 'json' }
import { type Place, type PlaceKind, places } from '../../content/places.ts'

export interface Picture {
  src: string
  width: number
  height: number
  /** Tiny data URL, shown blurred until the picture is loaded. */
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
  picture: Picture
}

const bySlug = new Map(places.map((place) => [place.slug, place]))
const pictures: Readonly<Record<string, Picture>> = landscapes

/** All places in the order of the index. */
export function listPlaces(): readonly Place[] {
  return places
}

export function findPlace(slug: string): Place | undefined {
  return bySlug.get(slug)
}

/** The short form of a place. Throws for a place without a picture: a fault of the content, found by its test. */
export function toCard(place: Place): PlaceCard {
  const picture = pictures[place.slug]
  if (!picture) throw new Error(`content/landscapes.json has no picture of ${place.slug}`)
  return {
    slug: place.slug,
    name: place.name,
    region: place.region,
    kind: place.kind,
    summary: place.summary,
    coordinates: formatCoordinates(place.coordinates),
    plate: places.indexOf(place) + 1,
    picture: { src: picture.src, width: picture.width, height: picture.height, placeholder: picture.placeholder },
  }
}

/** `68.21° N 2.87° W`. */
export function formatCoordinates({ latitude, longitude }: Place['coordinates']): string {
  const degrees = (value: number, positive: string, negative: string) =>
    `${Math.abs(value).toFixed(2)}° ${value < 0 ? negative : positive}`
  return `${degrees(latitude, 'N', 'S')} ${degrees(longitude, 'E', 'W')}`
}
