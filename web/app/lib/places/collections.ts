// The collections of the atlas: a tree of two levels made of the places' own paths. Data functions only.

import type { Place } from '../../content/places.ts'
import { listPlaces } from './places.ts'

interface CollectionLink {
  /** Path below `/collections`, as in `north/fjords`. */
  path: string
  title: string
  count: number
}

interface Collection {
  path: string
  title: string
  lede: string
  /** From the outermost to the parent. */
  parents: CollectionLink[]
  children: CollectionLink[]
  places: Place[]
}

const WORDS: Readonly<Record<string, { title: string; lede: string }>> = {
  north: {
    title: 'The North',
    lede: 'Where the light is either away or refuses to leave, and the kettle is never far from the boil.',
  },
  'north/fjords': { title: 'Fjords and skerries', lede: 'Rock, water and fog, in varying order of precedence.' },
  'north/long-night': { title: 'The long night', lede: 'Two months without a sunrise, and nobody in a hurry for one.' },
  east: {
    title: 'The East',
    lede: 'High passes, patient rivers, and weather that has read the classics.',
  },
  'east/high-country': { title: 'High country', lede: 'Places best reached slowly and left slower.' },
  'east/rivers': { title: 'Rivers and terraces', lede: 'Water that has been asked politely to stay.' },
  south: {
    title: 'The South',
    lede: 'Warm stone, late suppers, and a sea that keeps its appointments.',
  },
  'south/islands': { title: 'Islands and bays', lede: 'A ferry, a second ferry, and then a man with a boat.' },
  'south/harbours': { title: 'Harbours', lede: 'Towns that turned their backs to the land and never regretted it.' },
  'south/sands': { title: 'Sands', lede: 'Mostly horizon. The rest is tea.' },
  west: {
    title: 'The West',
    lede: 'Wide country where the next neighbour is a rumour and the trees are the better storytellers.',
  },
  'west/dry-country': { title: 'Dry country', lede: 'Rain is spoken of here in the past tense, with affection.' },
  'west/woods': { title: 'Woods', lede: 'Several thousand shades of green, and one of rust.' },
}

/** The collections at the top, in the order of the index. */
export function listCollections(): CollectionLink[] {
  return childrenOf([])
}

/** Every path with places, for `getStaticPaths`. */
export function listCollectionPaths(): string[] {
  return listCollections().flatMap((top) => [top.path, ...childrenOf(top.path.split('/')).map(({ path }) => path)])
}

/** The collection at a path of segments; undefined when it has no place. */
export function findCollection(segments: readonly string[]): Collection | undefined {
  const inside = placesUnder(segments)
  if (segments.length === 0 || inside.length === 0) return undefined
  const path = segments.join('/')
  return {
    path,
    title: titleOf(path),
    lede: WORDS[path]?.lede ?? '',
    parents: segments.slice(0, -1).map((_, index) => toLink(segments.slice(0, index + 1))),
    children: childrenOf(segments),
    places: inside,
  }
}

function childrenOf(segments: readonly string[]): CollectionLink[] {
  const names = placesUnder(segments).flatMap((place) => place.collection[segments.length] ?? [])
  return [...new Set(names)].map((name) => toLink([...segments, name]))
}

function placesUnder(segments: readonly string[]): Place[] {
  return listPlaces().filter(
    ({ collection }) =>
      segments.length <= collection.length && segments.every((segment, index) => collection[index] === segment),
  )
}

function toLink(segments: readonly string[]): CollectionLink {
  const path = segments.join('/')
  return { path, title: titleOf(path), count: placesUnder(segments).length }
}

/** A collection without a title has the name of its last segment. */
function titleOf(path: string): string {
  const own = Object.hasOwn(WORDS, path) ? WORDS[path] : undefined
  if (own) return own.title
  const last = path.slice(path.lastIndexOf('/') + 1).replaceAll('-', ' ')
  return last.charAt(0).toUpperCase() + last.slice(1)
}
