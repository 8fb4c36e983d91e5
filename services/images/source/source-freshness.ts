// Computes the freshness lifetime of a source's response from its headers (I5, RFC 9111 sections 4.2 and 5.2).

import type { IncomingHttpHeaders } from 'node:http'
import { LONGEST_CACHE_SECONDS } from '@portico/shared/wire/constants.ts'

/**
 * `s-maxage`, else `max-age`, else `Expires`, minus `Age`; at least `minimumSeconds`; 0 for `no-store` and `private`,
 * with which a response may not be stored.
 */
export function readLifetimeSeconds(headers: IncomingHttpHeaders, minimumSeconds: number): number {
  const directives = parseDirectives(headers['cache-control'])
  if (directives.has('no-store') || directives.has('private')) return 0
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

/** The first value of a repeated directive counts (RFC 9111 section 4.2.1 lets the recipient choose). */
function parseDirectives(header: string | undefined): Map<string, string> {
  const directives = new Map<string, string>()
  for (const part of (header ?? '').split(',')) {
    const [name = '', value = ''] = part.split('=', 2).map((text) => text.trim().toLowerCase())
    if (name !== '' && !directives.has(name)) directives.set(name, value.replace(/^"|"$/g, ''))
  }
  return directives
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
