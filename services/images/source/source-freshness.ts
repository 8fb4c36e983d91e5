// Computes the freshness lifetime of a source's response from its headers (I5, RFC 9111 sections 4.2 and 5.2).

import type { IncomingHttpHeaders } from 'node:http'
import { isForOneClient, parseCacheControl } from '@portico/shared/wire/caching.ts'
import { LONGEST_CACHE_SECONDS } from '@portico/shared/wire/constants.ts'

/**
 * `s-maxage`, else `max-age`, else `Expires`, minus `Age`; at least `minimumSeconds`; 0 for `no-store` and `private`,
 * with which a response may not be stored.
 */
export function readLifetimeSeconds(headers: IncomingHttpHeaders, minimumSeconds: number): number {
  const text = headers['cache-control']
  if (isForOneClient(text)) return 0
  const directives = parseCacheControl(text)
  const stated = directives.get('s-maxage') ?? directives.get('max-age') ?? secondsUntilExpiry(headers)
  const age = parseSeconds(headers.age) ?? 0
  const lifetime = directives.has('no-cache') ? 0 : (parseSeconds(stated) ?? 0) - age
  return Math.min(LONGEST_CACHE_SECONDS, Math.max(minimumSeconds, lifetime))
}

/** Tags of a Cache-Tag header: separated by commas or spaces, at most 64 of at most 128 characters. */
export function readTags(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  const tags = text.split(/[,\s]+/).filter((tag) => tag !== '' && tag.length <= 128)
  return [...new Set(tags)].slice(0, 64)
}

function parseSeconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,12}$/.test(value) ? Number(value) : undefined
}

function secondsUntilExpiry(headers: IncomingHttpHeaders): string | undefined {
  const expires = Date.parse(headers.expires ?? '')
  const date = Date.parse(headers.date ?? '')
  if (Number.isNaN(expires) || Number.isNaN(date)) return undefined
  return String(Math.max(0, Math.round((expires - date) / 1000)))
}
