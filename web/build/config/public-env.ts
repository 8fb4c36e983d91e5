// The `publicEnv` block of portico.config.ts: environment values, read at start, that the browser may read (O8).

import type { PublicEnvRule } from '@portico/shared/wire/build-output.ts'
import { isRecord } from '../json-object.ts'
import { type Refuse, refuseUnknown } from './config-faults.ts'

export function parsePublicEnv(value: unknown, refuse: Refuse): Record<string, PublicEnvRule> {
  if (value === undefined) return {}
  if (!isRecord(value)) {
    refuse('publicEnv', value, 'must be an object')
    return {}
  }
  for (const [name, rule] of Object.entries(value)) {
    const field = `publicEnv.${name}`
    if (!/^[A-Z][A-Z0-9_]*$/.test(name)) refuse(field, name, 'must be a name like SITE_NAME')
    if (!isRecord(rule)) {
      refuse(`${field}.type`, rule, TYPE_RULE)
      continue
    }
    refuseUnknown(field, rule, ['type', 'default', 'optional'], refuse)
    if (!['undefined', 'boolean'].includes(typeof rule.optional))
      refuse(`${field}.optional`, rule.optional, 'must be true or false')
    const isValid = Object.hasOwn(TYPE_CHECKS, String(rule.type)) ? TYPE_CHECKS[String(rule.type)] : undefined
    if (!isValid) refuse(`${field}.type`, rule.type, TYPE_RULE)
    else if (rule.default !== undefined && !isValid(rule.default))
      refuse(`${field}.default`, rule.default, `must be a ${String(rule.type)}`)
  }
  // The cast repeats what the loop checked; a fault discards the config.
  return value as Record<string, PublicEnvRule>
}

const TYPE_RULE = 'must be "string", "number", "boolean" or "url"'
type Check = (value: unknown) => boolean
const TYPE_CHECKS: Readonly<Record<string, Check>> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  url: (value) => typeof value === 'string' && URL.canParse(value),
} satisfies Record<PublicEnvRule['type'], Check>
