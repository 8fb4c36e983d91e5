// The variables of the environment that code of the site reads by name, in the manifest (X6).

import type { CodeVariable, Manifest } from '@portico/shared/wire/build-output.ts'
import type { BundleSources } from '../bundles/bundle-sources.ts'

/** The variables for the manifest, in the order of their names: equal sources give an equal build. */
export function codeEnvOf({
  next,
  codeVariables,
}: Pick<BundleSources, 'next' | 'codeVariables'>): Pick<Manifest, 'codeEnv'> {
  const entries = [...codeVariables.keys()].sort().map((name): [string, CodeVariable] => {
    const text = next.codeEnv?.[name]
    return [name, { ...(text !== undefined && { default: text }), ...codeVariables.get(name) }]
  })
  return entries.length > 0 ? { codeEnv: Object.fromEntries(entries) } : {}
}
