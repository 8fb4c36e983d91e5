// The `publicEnv` and `env` blocks of portico.config.ts: values of the environment that services read at start (O8).
// Browsers may read those of `publicEnv` and never receive those of `env`.

import type { EnvRule, PublicEnvRule } from '@portico/shared/wire/build-output.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { type Refuse, refuseUnknown } from './config-faults.ts'

export function parsePublicEnv(value: unknown, refuse: Refuse): Record<string, PublicEnvRule> {
  return parseRules<PublicEnvRule>('publicEnv', value, refuse, (field, rule, isValid) => {
    refuseUnknown(field, rule, ['type', 'default', 'optional'], refuse)
    if (isValid && rule.default !== undefined && !isValid(rule.default))
      refuse(`${field}.default`, rule.default, `must be a ${String(rule.type)}`)
  })
}

export function parseEnv(value: unknown, publicEnv: unknown, refuse: Refuse): Record<string, EnvRule> {
  // SECURITY: an author may have written a secret where a rule belongs; the message does not repeat the secret.
  const refuseHidden: Refuse = (field, _value, rule) => refuse(field, '(not shown)', rule)
  return parseRules<EnvRule>('env', value, refuseHidden, (field, { default: fallback, ...rule }) => {
    refuseUnknown(field, rule, ['type', 'optional'], refuseHidden)
    if (fallback !== undefined)
      refuseHidden(`${field}.default`, fallback, 'would be in the build; use optional: true, and ?? where it is read')
    const name = field.slice('env.'.length)
    if (isRecord(publicEnv) && Object.hasOwn(publicEnv, name))
      refuse(field, name, 'is in publicEnv, too, which browsers read; remove one of them')
  })
}

type Rule = Record<string, unknown>

/** Checks what both blocks have in common; `check` checks the rest of one rule. */
function parseRules<T extends EnvRule>(
  block: 'publicEnv' | 'env',
  value: unknown,
  refuse: Refuse,
  check: (field: string, rule: Rule, isValid: Check | undefined) => void,
): Record<string, T> {
  if (value === undefined) return {}
  if (!isRecord(value)) {
    refuse(block, value, 'must be an object')
    return {}
  }
  for (const [name, rule] of Object.entries(value)) {
    const field = `${block}.${name}`
    if (!/^[A-Z][A-Z0-9_]*$/.test(name)) refuse(field, name, 'must be a name like SITE_NAME')
    if (!isRecord(rule)) {
      refuse(`${field}.type`, rule, TYPE_RULE)
      continue
    }
    if (!['undefined', 'boolean'].includes(typeof rule.optional))
      refuse(`${field}.optional`, rule.optional, 'must be true or false')
    const isValid = Object.hasOwn(TYPE_CHECKS, String(rule.type)) ? TYPE_CHECKS[String(rule.type)] : undefined
    if (!isValid) refuse(`${field}.type`, rule.type, TYPE_RULE)
    check(field, rule, isValid)
  }
  // The cast repeats what the loop checked; a fault discards the config.
  return value as Record<string, T>
}

const TYPE_RULE = 'must be "string", "number", "boolean" or "url"'
type Check = (value: unknown) => boolean
const TYPE_CHECKS: Readonly<Record<string, Check>> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  url: (value) => typeof value === 'string' && URL.canParse(value),
} satisfies Record<PublicEnvRule['type'], Check>
