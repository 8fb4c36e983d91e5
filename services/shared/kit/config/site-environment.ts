// Values of the environment that portico.config.ts declares: `publicEnv`, which browsers may read, and `env`, the secrets
// of the site. Read at start and checked against their types (O8).

import { createHash } from 'node:crypto'
import type { Manifest, PublicEnvRule } from '../../wire/build-output.ts'
import { ENV_VALUES, type EnvValues } from '../../wire/bundles.ts'
import type { PublicValues } from '../../wire/page-data.ts'
import { ConfigError, type ConfigFault, type Environment } from './config.ts'

export interface SiteEnvironment {
  publicEnv: PublicEnvValues
  /** SECURITY: never sent, logged, or part of a cached page or its key. */
  env: EnvValues
}

export interface PublicEnvValues {
  values: PublicValues
  /** Part of every cached page's key: equal values give equal pages. */
  hash: string
}

/** Throws ConfigError with every missing value and every value of another type, of both members together. */
export function readSiteEnvironment(
  rules: Pick<Manifest, 'publicEnv' | 'env'>,
  environment: Environment,
): SiteEnvironment {
  const faults: ConfigFault[] = []
  const values = readValues(rules.publicEnv, environment, (name, value, rule) =>
    faults.push({ name, value, rule: `${rule} (publicEnv of portico.config.ts)${sourcesOf(value)}` }),
  )
  // SECURITY: a rejected secret must not be written to a log.
  const env = readValues(rules.env, environment, (name, value, rule) =>
    faults.push({
      name,
      value: value && `(${value.length} characters)`,
      rule: `${rule} (env of portico.config.ts)${sourcesOf(value)}`,
    }),
  )
  if (faults.length > 0) throw new ConfigError(faults)
  const hash = createHash('sha256')
    .update(JSON.stringify(Object.entries(values).sort()))
    .digest('hex')
    .slice(0, 12)
  return { publicEnv: { values, hash }, env }
}

/** Sets the values that `env` of portico/server reads. Call it before a module of the site is loaded. */
export function provideEnv(values: EnvValues): void {
  Reflect.set(globalThis, ENV_VALUES, values)
}

type Values = Record<string, string | number | boolean | null>
type Refuse = (name: string, value: string | undefined, rule: string) => void

function readValues(rules: Readonly<Record<string, PublicEnvRule>>, environment: Environment, refuse: Refuse): Values {
  const values: Values = {}
  for (const [name, rule] of Object.entries(rules)) {
    const text = environment[name]
    const value = text === undefined || text === '' ? rule.default : parseValue(text, rule.type)
    if (value !== undefined) values[name] = value
    else if (!text && rule.optional) values[name] = null
    else refuse(name, text, ruleOf(rule.type))
  }
  return values
}

/** Where the author sets a missing value. */
function sourcesOf(value: string | undefined): string {
  return value ? '' : '; set it in the environment, or for portico dev in .env.local of the app folder'
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
