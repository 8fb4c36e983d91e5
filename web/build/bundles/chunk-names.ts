// Names of built files. They are parts of URLs and of headers, so they have letters of ASCII only, whatever the names of
// the sources; the hash of the content makes them unique.

import { createHash } from 'node:crypto'
import { basename } from 'node:path'

/** Of a name, so that file systems (255 bytes) have room for the rest. */
const LONGEST = 80
/** Digits of a hash that distinguishes patterns: no two of 10 000 are equal by chance. */
const HASH_DIGITS = 12

/** Each route's chunk name: `/places/[slug]` is `page-places-slug`. Names that would be equal, or empty, have a hash. */
export function pageNames(patterns: readonly string[]): Map<string, string> {
  const given = patterns.map((pattern) => [pattern, plainName(pattern === '/' ? 'index' : pattern)] as const)
  // File systems may ignore case.
  const byName = Map.groupBy(given, ([, name]) => name.toLowerCase())
  return new Map(
    given.map(([pattern, name]) => {
      const isOwn = name !== '' && byName.get(name.toLowerCase())?.length === 1
      return [pattern, ['page', name, isOwn ? '' : hashOf(pattern)].filter(Boolean).join('-')]
    }),
  )
}

/** The name of a source as a part of the name of a built file. */
export function fileName(source: string): string {
  return plainName(basename(source)) || 'file'
}

function plainName(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-|-$/g, '')
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)
}
