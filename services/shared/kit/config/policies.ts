// The content security policies of a build with the values of this environment, read at start (G6).

import type { PublicValues } from '../../wire/page-data.ts'
import {
  type CspTable,
  ENV_SOURCE_RULE,
  type ResolvedPolicy,
  resolvePolicy,
} from '../../wire/policy/content-security-policy.ts'
import { ConfigError, type ConfigFault } from './config.ts'

export interface Policies {
  /** The policy of a page or screen by its pattern; undefined for none. */
  of: (route: string) => ResolvedPolicy | undefined
}

/** Throws ConfigError with every value of the environment that is no source of a directive. */
export function readPolicies({ site, routes }: CspTable, values: PublicValues): Policies {
  const faults = new Map<string, ConfigFault>()
  const resolve = (policy: CspTable['site']) =>
    resolvePolicy(policy, values, (name, value) =>
      faults.set(name, { name, value: String(value), rule: ENV_SOURCE_RULE }),
    )
  const ofSite = resolve(site)
  const ofRoutes = new Map(Object.entries(routes).map(([route, policy]) => [route, resolve(policy)]))
  if (faults.size > 0) throw new ConfigError([...faults.values()])
  return { of: (route) => (ofRoutes.has(route) ? ofRoutes.get(route) : ofSite) }
}
