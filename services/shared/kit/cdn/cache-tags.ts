// Cache tags for a CDN in front of the gateway (C6): one spelling for the header of pages and for purges.

import { hash } from 'node:crypto'
import { pagePath } from '../../wire/routing/page-path.ts'

/** Longest tag; Akamai has the smallest limit, Cloudflare and Fastly allow 1024 bytes. */
const TAG_LIMIT_BYTES = 128
/** Most tags of one response (Akamai). */
const MOST_TAGS = 128
/** Longest list of one response: Akamai and common proxies hold all headers of a response in 8 KiB. */
const LIST_LIMIT_BYTES = 4096
/** Hex digits that distinguish long names with the same beginning. */
const DIGITS = 32

/**
 * The tag of something that a page depends on. Letters, digits, `-`, `_`, `.`, `%` and `~` are allowed in tags and keys of
 * every CDN; `~` is in no escaped name, so that no tag of the site is the tag of a path or a version.
 *
 * @example
 * ```ts
 * cacheTagOf('tag', 'posts') // 'posts'
 * cacheTagOf('path', '/blog/a') // 'path~%2Fblog%2Fa'
 * ```
 */
export function cacheTagOf(kind: 'tag' | 'path' | 'version', name: string): string {
  const text = escaped(kind === 'path' ? pagePath(name) : name)
  // An empty element would be ignored.
  const tag = kind === 'tag' ? text || '~' : `${kind}~${text}`
  if (tag.length <= TAG_LIMIT_BYTES) return tag
  return `${tag.slice(0, TAG_LIMIT_BYTES - DIGITS - 1)}~${hash('sha256', tag, 'hex').slice(0, DIGITS)}`
}

/** The value of Cache-Tag; undefined for more tags than a CDN reads, which would not purge the page by all of them. */
export function cacheTagList(tags: readonly string[]): string | undefined {
  const list = tags.join(',')
  return tags.length > MOST_TAGS || list.length > LIST_LIMIT_BYTES ? undefined : list
}

/** SECURITY: a tag of the site with a comma, a space or a line break must not become two tags or another header. */
function escaped(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
