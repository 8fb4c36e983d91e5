// Search over a few dozen texts: every word asked for must begin a word of the place; where it stands decides the rank.

/** Longest query that is looked at, in characters. */
export const QUERY_LIMIT = 100

export interface Searchable {
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

/** The items that hold all words of the query, best first; none for a query without words. */
export function searchPlaces<T extends Searchable>(items: readonly T[], query: string): T[] {
  const wanted = [...new Set(splitWords(query.slice(0, QUERY_LIMIT)))]
  if (wanted.length === 0) return []
  return items
    .map((item) => ({ item, score: scoreOf(item, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ item }) => item)
}

/** Zero when a word is missing. A whole word counts twice what its beginning counts. */
function scoreOf(item: Searchable, wanted: readonly string[]): number {
  const fields = [
    { weight: WEIGHTS.name, words: splitWords(item.name) },
    { weight: WEIGHTS.region, words: splitWords(item.region) },
    { weight: WEIGHTS.kind, words: splitWords(item.kind) },
    { weight: WEIGHTS.summary, words: splitWords(item.summary) },
    { weight: WEIGHTS.story, words: splitWords(item.story.join(' ')) },
  ]
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
