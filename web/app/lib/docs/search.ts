// Search over a few hundred texts: every word of the query must begin a word of the item; the field decides the rank.

/** Longest query, in characters. */
export const QUERY_LIMIT = 100

/** A part of an item, and the weight of a word in this part. */
export interface SearchField {
  weight: number
  words: readonly string[]
}

interface Searchable {
  name: string
  region: string
  kind: string
  summary: string
  story: readonly string[]
}

const WEIGHTS = { name: 16, region: 8, kind: 8, summary: 3, story: 1 } as const

/** Lower case, without accents, split into words. */
export function splitWords(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** The different words of a query. */
export function wantedWords(query: string): string[] {
  return [...new Set(splitWords(query.slice(0, QUERY_LIMIT)))]
}

/** The items that contain all words, best first; none without words. */
export function rankItems<T>(
  items: readonly T[],
  wanted: readonly string[],
  fieldsOf: (item: T) => readonly SearchField[],
): T[] {
  if (wanted.length === 0) return []
  return items
    .map((item) => ({ item, score: scoreOf(fieldsOf(item), wanted) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ item }) => item)
}

/** The places that contain all words of the query, best first; none for a query without words. */
export function searchPlaces<T extends Searchable>(places: readonly T[], query: string): T[] {
  return rankItems(places, wantedWords(query), ({ name, region, kind, summary, story }) => [
    { weight: WEIGHTS.name, words: splitWords(name) },
    { weight: WEIGHTS.region, words: splitWords(region) },
    { weight: WEIGHTS.kind, words: splitWords(kind) },
    { weight: WEIGHTS.summary, words: splitWords(summary) },
    { weight: WEIGHTS.story, words: splitWords(story.join(' ')) },
  ])
}

/** Zero when a word is missing. A whole word counts twice as much as a beginning. */
function scoreOf(fields: readonly SearchField[], wanted: readonly string[]): number {
  let total = 0
  for (const word of wanted) {
    let best = 0
    for (const { weight, words } of fields) {
      if (words.includes(word)) best = Math.max(best, weight * 2)
      else if (words.some((candidate) => candidate.startsWith(word))) best = Math.max(best, weight)
    }
    if (best === 0) return 0
    total += best
  }
  return total
}
