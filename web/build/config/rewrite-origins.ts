// The `rewriteOrigins` of portico.config.ts: the credentials that pass to other hosts, to which rewrites lead (X4).

import type { RewriteOrigin, RewriteRule } from '@portico/shared/wire/build-output.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { splitFixedOrigin } from '@portico/shared/wire/patterns/destination.ts'
import { type Refuse, refuseUnknown } from './config-faults.ts'

/** RFC 9110 section 5.6.2: the name of a cookie is a token. */
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** The origins to which rules lead, as `URL.origin` writes them. */
export function originsOf(rules: readonly Pick<RewriteRule, 'destination'>[]): Set<string> {
  return new Set(rules.flatMap(({ destination }) => splitFixedOrigin(destination)?.origin ?? []))
}

/** `rewrites` are the rules of the same config. */
export function parseRewriteOrigins(
  value: unknown,
  rewrites: readonly RewriteRule[],
  refuse: Refuse,
): Record<string, RewriteOrigin> {
  if (value === undefined) return {}
  if (!isRecord(value)) {
    refuse('rewriteOrigins', value, 'must be an object with origins as keys')
    return {}
  }
  const used = originsOf(rewrites)
  const parsed: Record<string, RewriteOrigin> = {}
  for (const [origin, given] of Object.entries(value)) {
    const field = `rewriteOrigins["${origin}"]`
    if (!used.has(origin)) {
      const rule = 'is not the origin of a rewrite’s destination, written as "https://example.org"'
      refuse(
        field,
        given,
        used.size === 0 ? `${rule}; no rewrite leads to another host` : `${rule}; known: ${[...used].join(', ')}`,
      )
    } else if (!isRecord(given)) refuse(field, given, 'must be an object such as { cookies: ["session"] }')
    else parsed[origin] = parseOrigin(field, given, refuse)
  }
  return parsed
}

function parseOrigin(field: string, given: Record<string, unknown>, refuse: Refuse): RewriteOrigin {
  refuseUnknown(field, given, ['cookies', 'authorization'], refuse)
  const { cookies = [], authorization = false } = given
  const areNames = Array.isArray(cookies) && cookies.every((name) => typeof name === 'string' && COOKIE_NAME.test(name))
  if (!areNames) refuse(`${field}.cookies`, cookies, 'must be a list of names of cookies')
  if (typeof authorization !== 'boolean') refuse(`${field}.authorization`, authorization, 'must be true or false')
  return { cookies: areNames ? cookies : [], authorization: authorization === true }
}
