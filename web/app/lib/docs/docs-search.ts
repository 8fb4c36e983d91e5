// Search in the documentation: the row of a name that is the whole query, then sections by rank, each with the part of its
// text that matches the query.

import type { Href } from 'portico'
import { rankItems, type SearchField, splitWords, wantedWords } from './search.ts'

/** The text below one heading. */
export interface DocSection {
  /** With the heading's anchor. */
  href: Href
  /** Title of the page. */
  page: string
  /** null for the text before the first heading. */
  heading: string | null
  text: string
}

/** A row of a table that is about one name: a setting, an error code, a function, a field of the configuration. */
export interface DocName {
  /** With the row's anchor. */
  href: Href
  /** Title of the page. */
  page: string
  name: string
  text: string
  /** Whether the page is a list of such names. Its rows are first, also those with names that are usual words. */
  isReference: boolean
}

export interface TextPart {
  text: string
  isHit: boolean
}

export interface DocHit {
  href: Href
  page: TextPart[]
  heading: TextPart[] | null
  excerpt: TextPart[]
}

/** A reader needs no more hits; one more word in the query finds fewer. */
export const MOST_HITS = 20
/** Length of an excerpt, and of its part before the first hit, in characters. */
const EXCERPT_LENGTH = 180
const EXCERPT_BEFORE = 50
const WEIGHTS = { page: 16, heading: 12, pageOfSection: 3, text: 2 } as const
const WORD = /[\p{L}\p{N}\p{M}]+/gu

/** Prepares sections and names once; the returned function finds the hits of a query, best first. */
export function createDocsSearch(
  sections: readonly DocSection[],
  names: readonly DocName[] = [],
): (query: string) => DocHit[] {
  const index = sections.map((section) => ({ section, fields: fieldsOf(section) }))
  const byName = Map.groupBy(names.filter(isFoundByName), ({ name }) => nameKey(name))
  return (query) => {
    const wanted = wantedWords(query)
    const rows = (byName.get(nameKey(query)) ?? []).toSorted(
      (left, right) => Number(right.isReference) - Number(left.isReference),
    )
    const hits = rankItems(index, wanted, ({ fields }) => fields)
      .map(({ section }) => toHit(section, wanted))
      .filter(isHitItself)
    return [...rows.map((row) => toHit({ ...row, heading: row.name }, wanted)), ...hits].slice(0, MOST_HITS)
  }
}

/** Words with one space between them: `TRUSTED_PROXIES` and `trusted proxies` are equal. */
function nameKey(text: string): string {
  return splitWords(text).join(' ')
}

/** Outside of references a name such as `images` is a word that sections are about. */
function isFoundByName({ name, isReference }: DocName): boolean {
  return isReference || !/^[a-z]+$/.test(name)
}

function fieldsOf({ page, heading, text }: DocSection): SearchField[] {
  return [
    { weight: heading === null ? WEIGHTS.page : WEIGHTS.pageOfSection, words: codeWords(page) },
    { weight: WEIGHTS.heading, words: codeWords(heading ?? '') },
    { weight: WEIGHTS.text, words: codeWords(text) },
  ]
}

/** Words, and the parts of names: "static" also finds `getStaticProps`. */
function codeWords(text: string): string[] {
  return [...new Set([...splitWords(text), ...splitWords(text.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 '))])]
}

function toHit({ href, page, heading, text }: DocSection, wanted: readonly string[]): DocHit {
  return {
    href,
    page: markHits(page, wanted),
    heading: heading === null ? null : markHits(heading, wanted),
    excerpt: excerptOf(text, wanted),
  }
}

/** The title of a page makes its first section a hit, not every other one. */
function isHitItself({ page, heading, excerpt }: DocHit): boolean {
  return [...(heading ?? page), ...excerpt].some(({ isHit }) => isHit)
}

interface Span {
  start: number
  end: number
  words: string[]
}

function hitsIn(text: string, wanted: readonly string[]): Span[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const words = wanted.filter((each) => codeWords(word).some((candidate) => candidate.startsWith(each)))
    return words.length > 0 ? [{ start: index, end: index + word.length, words }] : []
  })
}

/** The whole text in parts. */
export function markHits(text: string, wanted: readonly string[]): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const { start, end } of hitsIn(text, wanted)) {
    parts.push({ text: text.slice(at, start), isHit: false }, { text: text.slice(start, end), isHit: true })
    at = end
  }
  parts.push({ text: text.slice(at), isHit: false })
  return parts.filter((part) => part.text !== '')
}

/** The part of the text with most of the words, cut between words; the beginning of the text without a hit. */
export function excerptOf(text: string, wanted: readonly string[]): TextPart[] {
  const hits = hitsIn(text, wanted)
  let best = { from: 0, count: 0 }
  for (const { start } of hits) {
    const from = Math.min(start, wordStart(text, start - EXCERPT_BEFORE))
    const within = hits.filter((hit) => hit.start >= from && hit.end <= from + EXCERPT_LENGTH)
    const count = new Set(within.flatMap(({ words }) => words)).size
    if (count > best.count) best = { from, count }
  }
  const end = wordEnd(text, best.from + EXCERPT_LENGTH)
  const parts = markHits(text.slice(best.from, end).trim(), wanted)
  if (best.from > 0) parts.unshift({ text: '… ', isHit: false })
  if (end < text.length) parts.push({ text: ' …', isHit: false })
  return parts
}

/** The position after the first space from `at` on, or the beginning of the text. */
function wordStart(text: string, at: number): number {
  if (at <= 0) return 0
  const space = text.indexOf(' ', at)
  return space < 0 ? at : space + 1
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length
  const space = text.lastIndexOf(' ', at)
  return space <= 0 ? at : space
}
