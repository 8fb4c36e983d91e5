// The shape of one place of the Atlas. Everything about the places is invented; the types are not.

export type PlaceKind = 'mountain' | 'coast' | 'desert' | 'forest' | 'night' | 'city' | 'ice' | 'water'

export type Place = {
  slug: string
  name: string
  region: string
  kind: PlaceKind
  /** Path segments of its collection, outermost first. */
  collection: [string, string]
  /** Degrees; they lie where there is nothing. */
  coordinates: { latitude: number; longitude: number }
  /** Metres above the sea of the image's main point. */
  elevation: number
  bestTime: string
  /** One sentence. */
  summary: string
  /** Paragraphs. */
  story: string[]
  facts: [label: string, value: string][]
  neighbours: string[]
}
