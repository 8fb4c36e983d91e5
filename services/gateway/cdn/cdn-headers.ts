// Headers for a CDN in front of the gateway (C6, CDN_TAGS=on): what the CDN may keep, for how long, and the tags by which
// the actions service purges it. A CDN that knows CDN-Cache-Control ignores Cache-Control (RFC 9213), which remains that
// of browsers.

import { cacheTagList, cacheTagOf } from '@portico/shared/kit/cdn/cache-tags.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { STALE_LIMIT_MS } from '../cache/decide.ts'
import type { KeptEntry } from '../cache/kept-entry.ts'
import type { Exchange } from '../request/exchange.ts'

/**
 * A CDN keeps a page without `revalidate` for at most this long: if the purges of a change do not arrive, the page is old
 * until then.
 */
const LONGEST_FRESH_SECONDS = 24 * 60 * 60
/**
 * The times for which a gateway sends a stale entry (C4). Together with max-age: s-maxage would forbid stale responses (RFC
 * 9111 section 5.2.2.10), and no browser obeys CDN-Cache-Control.
 */
const STALE = `stale-while-revalidate=${STALE_LIMIT_MS / 1000}, stale-if-error=${STALE_LIMIT_MS / 1000}`
/** At most one log line for pages with too many tags in this time. */
const REPORT_PAUSE_MS = 60_000

const CONTROL = 'cdn-cache-control'
const TAG = 'cache-tag'

interface SentEntry {
  entry: KeptEntry
  ageMs: number
  /** Whether the part is the same for all clients, and no error or redirect. */
  isShared: boolean
  /** Whether a change that this gateway has not seen may name the entry. */
  mayBeOld: boolean
}

/** Each function receives the complete flat list of a response's headers and changes the list. */
export interface CdnHeaders {
  ofEntry(headers: string[], exchange: Exchange, sent: SentEntry): void
  /** For a response that is no entry of the page cache: its tags are unknown. */
  ofOther(headers: string[], exchange: Exchange, response: { status: number; isStreamed?: boolean }): void
}

export function createCdnHeaders({ log, now = Date.now }: { log: Pick<Log, 'warn'>; now?: () => number }): CdnHeaders {
  let reportedAt = Number.NEGATIVE_INFINITY

  const tagsOf = (entry: KeptEntry): string | undefined => {
    entry.cacheTags ??= listTags(entry) ?? ''
    if (entry.cacheTags !== '') return entry.cacheTags
    if (now() - reportedAt > REPORT_PAUSE_MS) {
      reportedAt = now()
      const { path, tags } = entry
      log.warn(
        { event: 'cdn-tags', path, tags: tags.length },
        'page has too many tags for a CDN, which keeps none of it',
      )
    }
    return undefined
  }

  return {
    ofEntry(headers, exchange, { entry, ageMs, isShared, mayBeOld }) {
      const facts = readHeaders(headers)
      const isStorable = isShared && !mayBeOld && !exchange.comparesClient && !facts.setsCookie
      const tags = isStorable ? tagsOf(entry) : undefined
      if (tags === undefined) refuse(headers, facts, exchange)
      else {
        removeOwn(headers)
        headers.push(CONTROL, `public, max-age=${freshSeconds(entry, ageMs)}, ${STALE}`, TAG, tags)
      }
    },
    ofOther(headers, exchange, { status, isStreamed = false }) {
      const facts = readHeaders(headers)
      const isPage = exchange.route?.by === 'renderer'
      const isRefused =
        status >= 400 ||
        facts.setsCookie ||
        exchange.comparesClient ||
        !isForShared(facts.cacheControl) ||
        // The verdict of the renderer's cache: a page for all clients, whose tags only an entry has.
        (isPage && (exchange.cache !== undefined || isStreamed || facts.hasNonce))
      if (isRefused) refuse(headers, facts, exchange)
    },
  }
}

function listTags({ key, path, tags }: KeptEntry): string | undefined {
  const version = key.slice(0, key.indexOf(' '))
  const own = [cacheTagOf('path', path), cacheTagOf('version', version)]
  return cacheTagList([...new Set(tags.map((tag) => cacheTagOf('tag', tag))), ...own])
}

/** Counted from the render, as the Age of the response is. */
function freshSeconds({ freshMs }: KeptEntry, ageMs: number): number {
  const mostMs = ageMs + LONGEST_FRESH_SECONDS * 1000
  return Math.floor(Math.min(freshMs ?? mostMs, mostMs) / 1000)
}

interface HeaderFacts {
  cacheControl: string | undefined
  /** Place of the value of Cache-Control. */
  cacheControlAt: number
  setsCookie: boolean
  hasNonce: boolean
}

function readHeaders(headers: readonly string[]): HeaderFacts {
  const facts: HeaderFacts = { cacheControl: undefined, cacheControlAt: -1, setsCookie: false, hasNonce: false }
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase()
    const value = headers[at + 1]!
    if (name === 'set-cookie') facts.setsCookie = true
    else if (name === 'cache-control') {
      facts.cacheControl = facts.cacheControl === undefined ? value : `${facts.cacheControl}, ${value}`
      facts.cacheControlAt = at + 1
    } else if (name.startsWith('content-security-policy') && value.includes("'nonce-")) facts.hasNonce = true
  }
  return facts
}

/** Without Cache-Control caches may keep a response as they like (RFC 9111 section 4.2.2). */
function isForShared(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && !/\b(?:private|no-store)\b/i.test(cacheControl)
}

function refuse(headers: string[], { cacheControl, cacheControlAt }: HeaderFacts, { comparesClient }: Exchange): void {
  // SECURITY: a rule chose the response by a cookie or a header, which no cache has in its key: a cache that does not know
  // CDN-Cache-Control would send the response to clients that the rule excludes.
  if (comparesClient && isForShared(cacheControl)) {
    const value = headers[cacheControlAt]!
    headers[cacheControlAt] = /\bpublic\b/i.test(value) ? value.replace(/\bpublic\b/i, 'private') : `private, ${value}`
  }
  removeOwn(headers)
  headers.push(CONTROL, 'no-store')
}

/** Headers of rules and of page code give way: two values would contradict each other. */
function removeOwn(headers: string[]): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    const name = headers[at]!.toLowerCase()
    if (name === CONTROL || name === TAG) headers.splice(at, 2)
  }
}
