// The declared values of a site for code of the site that runs during the build.

import type { PublicEnvRule } from '@portico/shared/wire/build-output.ts'
import { readSiteValues, type SiteValues } from '@portico/shared/wire/environment/site-values.ts'

/** Values of declared names that have none during the build. */
const PLACEHOLDERS: Readonly<Record<PublicEnvRule['type'], string | number | boolean>> = {
  string: 'placeholder',
  number: 1,
  boolean: false,
  url: 'https://placeholder.invalid/',
}

/** The values that the environment of the build has, and placeholders for the `missing` ones. */
export function readBuildValues(rules: Readonly<Record<string, PublicEnvRule>>): {
  values: SiteValues
  missing: string[]
} {
  const values = readSiteValues(rules, process.env, () => {})
  const missing = Object.keys(rules).filter((name) => (values[name] ?? undefined) === undefined)
  for (const name of missing) values[name] ??= rules[name]!.optional ? null : PLACEHOLDERS[rules[name]!.type]
  return { values, missing }
}
