// Public values of the environment, declared in portico.config.ts: read at start, checked against their types (O8).

import { createHash } from 'node:crypto'
import type { PublicEnvRule } from '../../wire/build-output.ts'
import type { PublicValues } from '../../wire/page-data.ts'
import { ConfigError, type ConfigFault, type Environment } from './config.ts'

export interface PublicEnvValues {
  values: PublicValues
  /** Part of every cached page's key: equal values give equal pages. */
  hash: string
}

/** Throws ConfigError with every missing value and every value of another type. */
export function readPublicEnv(
  rules: Readonly<Record<string, PublicEnvRule>>,
  environment: Environment,
): PublicEnvValues {
  const faults: ConfigFault[] = []
  const values: Record<string, PublicValues[string]> = {}
  for (const [name, rule] of Object.entries(rules)) {
    const text = environment[name]
    const value = text === undefined || text === '' ? rule.default : parseValue(text, rule.type)
    if (value !== undefined) values[name] = value
    else if (!text && rule.optional) values[name] = null
    else faults.push({ name, value: text, rule: `${ruleOf(rule.type)} (publicEnv of portico.config.ts)` })
  }
  if (faults.length > 0) throw new ConfigError(faults)
  const hash = createHash('sha256')
    .update(JSON.stringify(Object.entries(values).sort()))
    .digest('hex')
    .slice(0, 12)
  return { values, hash }
}

function parseValue(text: string, type: PublicEnvRule['type']): string | number | boolean | undefined {
  switch (type) {
    case 'string':
      return text
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'url':
      return URL.canParse(text) ? text : undefined
  }
}

function ruleOf(type: PublicEnvRule['type']): string {
  return type === 'boolean' ? 'true or false' : type === 'url' ? 'an absolute URL' : `a ${type}`
}
