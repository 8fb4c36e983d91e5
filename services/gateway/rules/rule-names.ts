// Names of the rules of the configuration, such as `redirects[3]`, for access lines and `portico why`.

import type { Manifest, RewriteRule } from '@portico/shared/wire/build-output.ts'

/** For example `redirects[3]`. */
export function ruleName(list: 'redirects' | 'headers', order: number): string {
  return `${list}[${order}]`
}

/**
 * The names of rewrites: `rewrites[0]`, or `rewrites.beforeFiles[0]` where the configuration has them by phase.
 *
 * @example nameRewrites(manifest.rewrites).get(rule)
 */
export function nameRewrites(rewrites: Manifest['rewrites']): ReadonlyMap<object, string> {
  const hasPhases = rewrites.some(({ phase }) => phase !== undefined)
  const counts = new Map<string, number>()
  const nameOf = ({ phase }: RewriteRule) => {
    const list = hasPhases ? `rewrites.${phase ?? 'afterFiles'}` : 'rewrites'
    const at = counts.get(list) ?? 0
    counts.set(list, at + 1)
    return `${list}[${at}]`
  }
  return new Map(rewrites.map((rule) => [rule, nameOf(rule)]))
}
