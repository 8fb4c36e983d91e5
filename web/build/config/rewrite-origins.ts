// The `rewriteOrigins` of portico.config.ts: the credentials that pass to other hosts, to which rewrites lead (X4), and the
// hosts to which middleware may rewrite without a rule (X15).

import type { RewriteOrigin, RewriteRule } from '@portico/shared/wire/build-output.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { splitFixedOrigin } from '@portico/shared/wire/patterns/destination.ts'
import { BuildError, type RefuseFault } from '../build-error.ts'
import { type Refuse, refuseUnknown } from './config-faults.ts'

/** RFC 9110 section 5.6.2: the name of a cookie is a token. */
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** The origins to which rules lead, as `URL.origin` writes them. */
export function originsOf(rules: readonly Pick<RewriteRule, 'destination'>[]): Set<string> {
  return new Set(rules.flatMap(({ destination }) => splitFixedOrigin(destination)?.origin ?? []))
}

export function parseRewriteOrigins(value: unknown, refuse: Refuse): Record<string, RewriteOrigin> {
  if (value === undefined) return {}
  if (!isRecord(value)) {
    refuse('rewriteOrigins', value, 'must be an object with origins as keys')
    return {}
  }
  const parsed: Record<string, RewriteOrigin> = {}
  for (const [origin, given] of Object.entries(value)) {
    const field = `rewriteOrigins["${origin}"]`
    if (splitFixedOrigin(origin)?.origin !== origin)
      refuse(field, given, 'must be an origin as the key, written as "https://example.org"')
    else if (!isRecord(given)) refuse(field, given, 'must be an object such as { cookies: ["session"] }')
    else parsed[origin] = parseOrigin(field, given, refuse)
  }
  return parsed
}

/** Passes a fault for each origin to which no rewrite leads, in a site without middleware. */
export function refuseUnusedOrigins(
  { rewrites, rewriteOrigins }: { rewrites: readonly RewriteRule[]; rewriteOrigins: Record<string, RewriteOrigin> },
  { middleware, configFile = 'portico.config.ts' }: { middleware?: unknown; configFile?: string },
  refuse: RefuseFault,
): void {
  if (middleware !== undefined) return
  const used = originsOf(rewrites)
  for (const [origin, given] of Object.entries(rewriteOrigins)) {
    if (used.has(origin)) continue
    const known = used.size === 0 ? 'no rewrite leads to another host' : `known: ${[...used].join(', ')}`
    const field = `rewriteOrigins["${origin}"] = ${JSON.stringify(given)}`
    refuse(new BuildError(`${configFile}: ${field}: is not the origin of a rewrite’s destination; ${known}`))
  }
}

function parseOrigin(field: string, given: Record<string, unknown>, refuse: Refuse): RewriteOrigin {
  refuseUnknown(field, given, ['cookies', 'authorization'], refuse)
  const { cookies = [], authorization = false } = given
  const areNames = Array.isArray(cookies) && cookies.every((name) => typeof name === 'string' && COOKIE_NAME.test(name))
  if (!areNames) refuse(`${field}.cookies`, cookies, 'must be a list of names of cookies')
  if (typeof authorization !== 'boolean') refuse(`${field}.authorization`, authorization, 'must be true or false')
  return { cookies: areNames ? cookies : [], authorization: authorization === true }
}
