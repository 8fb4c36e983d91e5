// What the development server's own scripts, styles and connection need of a content security policy, and nothing else.

import type { CspPolicy, CspTable } from '@portico/shared/wire/policy/content-security-policy.ts'

const SELF = "'self'"
const INLINE = "'unsafe-inline'"
const HASH = /^'(sha\d+)-/

/** Vite serves modules and its connection from the site's origin, and its client writes `<style>` elements. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'script-src': [SELF],
  'script-src-elem': [SELF],
  'connect-src': [SELF],
  'style-src': [SELF, INLINE],
  'style-src-elem': [SELF, INLINE],
}

/** Adds the sources to each policy of the table; a policy that has them is unchanged. */
export function addDevSources({ site, routes, screen }: CspTable): CspTable {
  const changed = Object.entries(routes).map(([route, policy]): [string, CspPolicy | null] => [route, addTo(policy)])
  return { site: addTo(site), routes: Object.fromEntries(changed), screen }
}

function addTo(policy: CspPolicy | null): CspPolicy | null {
  if (!policy) return null
  const directives = { ...policy.directives }
  for (const [name, needed] of Object.entries(NEEDED)) {
    const sources = directives[name]
    if (!sources) continue
    // Next to a hash browsers ignore 'unsafe-inline', which allows what the hash allows.
    const kept = sources.filter(
      (source) => source !== "'none'" && !(needed.includes(INLINE) && HASH.test(String(source))),
    )
    directives[name] = [...kept, ...needed.filter((source) => !kept.includes(source))]
  }
  return { ...policy, directives }
}
