// The conditions of redirects, rewrites and headers in compatibility mode (X5).

import type { StoredCondition } from '@portico/shared/wire/patterns/conditions.ts'
import type { SourceRule } from '@portico/shared/wire/patterns/rule-index.ts'
import type { SiteConfig } from './site-config.ts'

/** As in Next.js: no condition holds for an empty value, and an empty `value` is as none. */
export function withNotEmptyConditions(config: SiteConfig): SiteConfig {
  const { redirects, rewrites, headers } = config
  return {
    ...config,
    redirects: redirects.map(withNotEmpty),
    rewrites: rewrites.map(withNotEmpty),
    headers: headers.map(withNotEmpty),
  }
}

/** One rule, or a matcher of middleware. */
export function withNotEmpty<T extends SourceRule>(rule: T): T {
  const { has, missing } = rule
  return { ...rule, ...(has && { has: has.map(markOne) }), ...(missing && { missing: missing.map(markOne) }) }
}

function markOne(condition: StoredCondition): StoredCondition {
  // A request without a host does not reach the rules.
  if (condition.type === 'host') return condition
  const { type, key, value } = condition
  return { type, key, ...(value && { value }), notEmpty: true }
}
