// Values of the environment that portico.config.ts declares: `publicEnv`, which browsers may read, and `env`, the secrets
// of the site. Read at start and checked against their types (O8). Variables that code of an app of Next.js reads are read
// with them (X6).

import { createHash } from 'node:crypto'
import type { Manifest } from '../../wire/build-output.ts'
import { ENV_VALUES, type EnvValues } from '../../wire/bundles.ts'
import { changedNames, readCodeEnv } from '../../wire/environment/code-env.ts'
import { readSiteValues } from '../../wire/environment/site-values.ts'
import type { PublicValues } from '../../wire/page-data.ts'
import type { Log } from '../observe/log.ts'
import { ConfigError, type ConfigFault, type Environment } from './config.ts'
import { isGivenTo, SITE_SERVICES } from './process-environment.ts'

interface SiteEnvironment {
  /** With the variables of `codeEnv` that documents have. */
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
  rules: Pick<Manifest, 'publicEnv' | 'codeEnv' | 'env'>,
  environment: Environment,
): SiteEnvironment {
  const faults: ConfigFault[] = []
  const values = readSiteValues(rules.publicEnv, environment, (name, value, rule) =>
    faults.push({ name, value, rule: `${rule} (publicEnv of portico.config.ts)${sourcesOf(name, value)}` }),
  )
  // SECURITY: a rejected secret must not be written to a log.
  const env = readSiteValues(rules.env, environment, (name, value, rule) =>
    faults.push({
      name,
      value: value && `(${value.length} characters)`,
      rule: `${rule} (env of portico.config.ts)${sourcesOf(name, value)}`,
    }),
  )
  if (faults.length > 0) throw new ConfigError(faults)
  return { publicEnv: withCodeEnv(values, rules, environment), env }
}

/** Adds the variables that code reads by their literal names. Pages of the server may show those that no document has. */
export function withCodeEnv(
  values: PublicValues,
  { codeEnv }: Pick<Manifest, 'codeEnv'>,
  environment: Environment,
): PublicEnvValues {
  const { all, inDocument } = readCodeEnv(codeEnv, environment)
  return { values: { ...values, ...inDocument }, hash: hashOfValues({ ...values, ...all }) }
}

/**
 * Gives an environment, which code of the site reads, the values of the build that it lacks. Logs the names that differ.
 * Call it before a module of the site is loaded.
 */
export function provideCodeEnv(
  { codeEnv }: Pick<Manifest, 'codeEnv'>,
  environment: Record<string, string | undefined>,
  log: Pick<Log, 'info'>,
): void {
  const names = changedNames(codeEnv, environment)
  // The values may be long, and differ from site to site.
  if (names.length > 0) log.info({ names }, 'variables of the environment differ from the build')
  Object.assign(environment, readCodeEnv(codeEnv, environment).all)
}

/** The hash of public values. */
function hashOfValues(values: PublicValues): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(values).sort()))
    .digest('hex')
    .slice(0, 12)
}

/** Sets the values that `env` of portico/server reads. Call it before a module of the site is loaded. */
export function provideEnv(values: EnvValues): void {
  Reflect.set(globalThis, ENV_VALUES, values)
}

/** Where the author sets a missing value. */
function sourcesOf(name: string, value: string | undefined): string {
  if (value) return ''
  return SITE_SERVICES.every((service) => isGivenTo(service, name))
    ? '; set it in the environment; portico dev and portico start also read .env.local of the app folder, tests have test.env of vitest.config.ts'
    : '; it is a setting of other services, which portico dev and portico start keep from code of the site: choose another name'
}
