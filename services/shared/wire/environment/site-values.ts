// Reads the values that `publicEnv` and `env` of portico.config.ts declare, from the texts of an environment (O8).

import type { PublicEnvRule } from '../build-output.ts'

export type SiteValues = Record<string, string | number | boolean | null>

/**
 * The values that the rules declare, with their types; null for an optional value that is not set. `refuse` receives each
 * value that is missing or has another type.
 */
export function readSiteValues(
  rules: Readonly<Record<string, PublicEnvRule>>,
  environment: Readonly<Record<string, string | undefined>>,
  refuse: (name: string, value: string | undefined, rule: string) => void,
): SiteValues {
  const values: SiteValues = {}
  for (const [name, rule] of Object.entries(rules)) {
    const text = environment[name]
    const value = text === undefined || text === '' ? rule.default : parseValue(text, rule.type)
    if (value !== undefined) values[name] = value
    else if (!text && rule.optional) values[name] = null
    else refuse(name, text, ruleOf(rule.type))
  }
  return values
}

function parseValue(text: string, type: PublicEnvRule['type']): string | number | boolean | undefined {
  switch (type) {
    case 'string':
      return text
    case 'number':
      // Number reads white space as 0.
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'url':
      return URL.canParse(text) ? text : undefined
  }
}

function ruleOf(type: PublicEnvRule['type']): string {
  return type === 'boolean' ? 'true or false' : type === 'url' ? 'an absolute URL' : `a ${type}`
}
