// The page cache: HTML and page data of a page as one atomic entry (D5), with the generations that make revalidation
// reliable (D6). This file has the interface and the bounded cache in memory; testing/ has the contract suite.

import type { PolicyHeader } from '@portico/shared/wire/content-security-policy.ts'
import type { Encoding } from '@portico/shared/wire/encodings.ts'
import type { RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { LRUCache } from 'lru-cache'
import { pagePath } from '../resolve/page-path.ts'

export type PagePart = 'html' | 'data'

export interface CachedPage {
  kind: 'page'
  html: Buffer
  htmlEtag: string
  data: Buffer
  dataEtag: string
  /** The policy of the HTML names the scripts of these very bytes. */
  policy?: PolicyHeader | undefined
  /** Compressed forms that were requested; null while one is created, and for a form that would not be smaller. */
  forms?: Record<PagePart, Partial<Record<Encoding, Buffer | null>>>
}

export type CachedOutcome =
  | CachedPage
  | { kind: 'not-found' }
  | { kind: 'redirect'; location: string; status: RedirectStatus }

export interface CacheEntry {
  outcome: CachedOutcome
  /** Milliseconds of the cache's clock. */
  storedAt: number
  /** An older entry is shown once more and refreshed in the background; undefined: never stale by age. */
  freshForMs: number | undefined
  tags: readonly string[]
}

export interface Revalidation {
  paths: readonly string[]
  tags: readonly string[]
  generation?: number
  /** The changes are unknown: no earlier entry is shown again. */
  everything?: boolean
}

export interface PageCache {
  /** The entry; undefined for a missing or revalidated one. */
  get(key: string): Promise<CacheEntry | undefined> | CacheEntry | undefined
  /** Stores a render that began at `generation`; refused if its path or tags were revalidated in between. */
  set(key: string, path: string, entry: CacheEntry, generation: number): Promise<boolean> | boolean
  /** Drops every entry of these paths and tags, or all entries; returns the new generation. */
  revalidate(request: Revalidation): Promise<number> | number
  /** A page of this cache received compressed forms: a bounded cache counts its bytes again. */
  grown?(key: string, page: CachedPage): void
  /** Read before a render begins. */
  generation(): number
}

/** Overhead of an entry in addition to its bytes: key, ETags, map slots. Measured on 10 000 entries. */
const ENTRY_OVERHEAD_BYTES = 1024
/** Revalidated paths and tags that are remembered one by one; older ones raise the minimum generation of all. */
const MOST_MARKS = 10_000

interface Slot {
  entry: CacheEntry
  path: string
  generation: number
}

/** A cache in this process, bounded by bytes. */
export function createMemoryPageCache({ limitBytes }: { limitBytes: number }): PageCache {
  const slots = new LRUCache<string, Slot>({
    maxSize: limitBytes,
    sizeCalculation: ({ entry: { outcome } }) =>
      ENTRY_OVERHEAD_BYTES + (outcome.kind === 'page' ? bytesOf(outcome) : 0),
  })
  const marks = createMarks()
  return {
    get(key) {
      const slot = slots.get(key)
      if (!slot) return undefined
      if (marks.latest(slot.path, slot.entry.tags) > slot.generation) {
        slots.delete(key)
        return undefined
      }
      return slot.entry
    },
    set(key, givenPath, entry, generation) {
      const path = pagePath(givenPath)
      if (marks.latest(path, entry.tags) > generation) return false
      slots.set(key, { entry, path, generation })
      return true
    },
    grown(key, page) {
      const slot = slots.peek(key)
      // The page may have been replaced or dropped since. A new slot, because the cache weighs only new slots.
      if (slot?.entry.outcome === page) slots.set(key, { ...slot })
    },
    revalidate: (request) => marks.add(request),
    generation: () => marks.current(),
  }
}

function bytesOf({ html, data, forms }: CachedPage): number {
  let bytes = html.length + data.length
  if (forms)
    for (const part of [forms.html, forms.data]) for (const form of Object.values(part)) bytes += form?.length ?? 0
  return bytes
}

/** The generation that last revalidated a path or tag. */
function createMarks() {
  const paths = new Map<string, number>()
  const tags = new Map<string, number>()
  let generation = 0
  let floor = 0
  const remember = (marks: Map<string, number>, name: string) => {
    marks.delete(name)
    marks.set(name, generation)
    if (marks.size <= MOST_MARKS) return
    const [oldest, mark] = marks.entries().next().value!
    marks.delete(oldest)
    floor = Math.max(floor, mark)
  }
  return {
    current: () => generation,
    latest: (path: string, names: readonly string[]) =>
      Math.max(floor, paths.get(path) ?? 0, ...names.map((name) => tags.get(name) ?? 0)),
    add(request: Revalidation): number {
      generation = Math.max(generation + 1, request.generation ?? 0)
      if (request.everything) floor = generation
      for (const path of request.paths) remember(paths, pagePath(path))
      for (const tag of request.tags) remember(tags, tag)
      return generation
    },
  }
}
