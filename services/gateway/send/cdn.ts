// Who may keep a response in a CDN in front of the gateway (C6, CDN_TAGS=on), for how long, and the tags by which the actions
// service purges it. A CDN that knows CDN-Cache-Control ignores Cache-Control (RFC 9213), which remains that of browsers.

import { cacheTagList, cacheTagOf } from '@portico/shared/kit/cdn/cache-tags.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { formatCdnCacheControl, forOneClient, isForOneClient } from '@portico/shared/wire/caching.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { type KeptEntry, STALE_LIMIT_MS } from '../pages/pages.ts'

/**
 * A CDN keeps a page without `revalidate` for at most this long: if the purges of a change do not arrive, the page is old
 * until then.
 */
const LONGEST_FRESH_SECONDS = 24 * 60 * 60
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

/** What a CDN could keep. */
export interface CdnFacts {
  status: number
  /** The entry of the page cache that is sent. */
  entry?: SentEntry
  /** A page of unknown length. */
  isStreamed?: boolean
}

export interface CdnCaching {
  /** Adds to the flat list of a response, and returns its Cache-Control, which was `cacheControl` without a CDN. */
  add(headers: string[], exchange: Exchange, cacheControl: string | undefined, own: CdnFacts): string | undefined
}

export function createCdnCaching({ log, now = Date.now }: { log: Pick<Log, 'warn'>; now?: () => number }): CdnCaching {
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
    add(headers, exchange, cacheControl, { status, entry: sent, isStreamed = false }) {
      const { comparesClient, found, notes } = exchange
      // Without Cache-Control caches may keep a response as they like (RFC 9111 section 4.2.2).
      const isForAll = cacheControl !== undefined && !isForOneClient(cacheControl)
      const { setsCookie, hasNonce } = factsOf(headers)
      if (sent) {
        const isStorable = sent.isShared && !sent.mayBeOld && !comparesClient && !setsCookie
        const tags = isStorable ? tagsOf(sent.entry) : undefined
        if (tags !== undefined) {
          removeOwn(headers)
          headers.push(CONTROL, lifetimeOf(sent), TAG, tags)
          return cacheControl
        }
      } else {
        // The verdict of the renderer's cache: a page for all clients, whose tags only an entry has.
        const isUntagged = found.route?.by === 'renderer' && (notes.cache !== undefined || isStreamed || hasNonce)
        if (status < 400 && !setsCookie && !comparesClient && isForAll && !isUntagged) return cacheControl
      }
      removeOwn(headers)
      headers.push(CONTROL, formatCdnCacheControl({ audience: 'this-client', freshSeconds: 0 }))
      // SECURITY: a rule chose the response by a cookie or a header, which no cache has in its key: a cache that does not know
      // CDN-Cache-Control would send the response to clients that the rule excludes.
      return comparesClient && isForAll ? forOneClient(cacheControl) : cacheControl
    },
  }
}

function listTags({ key, path, tags }: KeptEntry): string | undefined {
  const version = key.slice(0, key.indexOf(' '))
  const own = [cacheTagOf('path', path), cacheTagOf('version', version)]
  return cacheTagList([...new Set(tags.map((tag) => cacheTagOf('tag', tag))), ...own])
}

/** Counted from the render, as the Age of the response is. Stale for as long as a gateway sends a stale entry (C4). */
function lifetimeOf({ entry: { freshMs }, ageMs }: SentEntry): string {
  const mostMs = ageMs + LONGEST_FRESH_SECONDS * 1000
  const freshSeconds = Math.floor(Math.min(freshMs ?? mostMs, mostMs) / 1000)
  return formatCdnCacheControl({ audience: 'everyone', freshSeconds, staleSeconds: STALE_LIMIT_MS / 1000 })
}

/** Cookies of middleware, rules and page code; the policy of a page. */
function factsOf(headers: readonly string[]): { setsCookie: boolean; hasNonce: boolean } {
  const facts = { setsCookie: false, hasNonce: false }
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase()
    if (name === 'set-cookie') facts.setsCookie = true
    else if (name.startsWith('content-security-policy') && headers[at + 1]!.includes("'nonce-")) facts.hasNonce = true
  }
  return facts
}

/** Headers of rules and of page code give way: two values would contradict each other. */
function removeOwn(headers: string[]): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    const name = headers[at]!.toLowerCase()
    if (name === CONTROL || name === TAG) headers.splice(at, 2)
  }
}
