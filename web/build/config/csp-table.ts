// The table of content security policies that the build writes into the manifest.

import { type CspTable, DEFAULT_DIRECTIVES } from '@portico/shared/wire/content-security-policy.ts'

export function createCspTable(): CspTable {
  const directives = Object.fromEntries(Object.entries(DEFAULT_DIRECTIVES).map(([name, list]) => [name, [...list]]))
  return { site: { directives, reportOnly: false }, routes: {}, screen: null }
}
