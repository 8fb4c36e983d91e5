// The table of content security policies, route by route, that the build writes into the manifest (G6): the defaults,
// changed by `csp` of portico.config.ts.

import { isPerRequest, type PageEntry } from '@portico/shared/wire/build-output.ts'
import {
  type CspDirectiveName,
  type CspPolicy,
  type CspSource,
  type CspTable,
  DEFAULT_DIRECTIVES,
  type PolicyHeader,
  policyHeader,
} from '@portico/shared/wire/policy/content-security-policy.ts'
import { parsePattern, type Segment } from '@portico/shared/wire/routing/routes.ts'
import { BuildError } from '../build-error.ts'
import { type CspRule, type CspSettings, directivesWith } from './csp.ts'
import { DIRECTIVES, NOT_REPORT_ONLY, STRICT_DYNAMIC } from './csp-directives.ts'

type Page = Pick<PageEntry, 'pattern' | 'file' | 'data'>

/** Only their own patterns cover screens: a policy is the same with a screen of the app folder and with the default one. */
const SCREENS = ['/404', '/500', '/_error']
/** Without pages/500 the screen of an exception is `/_error`. */
const DEFAULT_SCREENS = ['/404', '/_error']

/**
 * Throws BuildError for patterns that no page fits, and for policies under which a page could not start. Each policy allows
 * the files of the site at the origin of `assetPrefix`.
 */
export function createCspTable(
  { site, routes }: CspSettings,
  pages: readonly Page[],
  file: string,
  assetPrefix = '',
): CspTable {
  const policyOf = (rules: readonly (CspRule | false)[]) => withAssets(changedPolicy(rules), assetPrefix)
  const faults: string[] = []
  const keys = Object.keys(routes).map((pattern) => ({ pattern, segments: parsePattern(pattern) }))
  const used = new Set<string>()
  const table: CspTable = { site: policyOf([site]), routes: {}, screen: screenPolicy(site) }
  const refuseIgnored = (policy: CspPolicy | null, field: string) => {
    for (const name of policy?.reportOnly ? NOT_REPORT_ONLY : [])
      if (policy?.directives[name]) faults.push(`${file}: ${field}: ${name} has no effect with reportOnly: true`)
  }
  refuseIgnored(table.site, 'csp')
  const set = (route: string, pattern: string, data: PageEntry['data']) => {
    const rule = routes[pattern]!
    used.add(pattern)
    const policy = policyOf([site, rule])
    table.routes[route] = policy
    refuseIgnored(policy, `csp.routes[${JSON.stringify(pattern)}]`)
    for (const name of isPerRequest(data) ? [] : directivesWith(rule, STRICT_DYNAMIC))
      faults.push(
        `${file}: csp.routes[${JSON.stringify(pattern)}].directives[${JSON.stringify(name)}] = ${JSON.stringify(STRICT_DYNAMIC)}: must not be set for ${route}, whose document is cached and has no nonce; this keyword forbids every script without one. Add getServerSideProps to the page, or name the hosts of its scripts`,
      )
  }
  for (const { pattern, data } of pages) {
    if (SCREENS.includes(pattern)) continue
    const segments = parsePattern(pattern)
    const [best, next] = keys
      .filter((key) => covers(key.segments, segments))
      .sort((left, right) => compare(left.segments, right.segments))
    if (!best) continue
    if (next && compare(best.segments, next.segments) === 0)
      faults.push(`${file}: csp.routes[${JSON.stringify(next.pattern)}]: covers the same pages as ${best.pattern}`)
    set(pattern, best.pattern, data)
  }
  const screens = [...DEFAULT_SCREENS, ...pages.map(({ pattern }) => pattern)].filter((name) => SCREENS.includes(name))
  for (const screen of new Set(screens)) if (Object.hasOwn(routes, screen)) set(screen, screen, 'none')
  for (const { pattern } of keys)
    if (!used.has(pattern))
      faults.push(
        `${file}: csp.routes[${JSON.stringify(pattern)}]: no page fits this pattern, or a more specific pattern covers all of its pages`,
      )
  if (faults.length > 0) throw new BuildError([...new Set(faults)])
  return table
}

/** Whether every path of the page fits the pattern: `[x]` fits one segment, `[...x]` one or more, `[[...x]]` any number. */
function covers(pattern: readonly Segment[], page: readonly Segment[]): boolean {
  for (const [index, segment] of pattern.entries()) {
    const other = page[index]
    if (segment.kind === 'optional-catch-all') return true
    if (segment.kind === 'catch-all') return other !== undefined && other.kind !== 'optional-catch-all'
    if (other === undefined) return false
    if (segment.kind === 'static' ? other.kind !== 'static' || other.text !== segment.text : !isOne(other)) return false
  }
  return pattern.length === page.length
}

function isOne({ kind }: Segment): boolean {
  return kind === 'static' || kind === 'dynamic'
}

const RANKS: Readonly<Record<Segment['kind'], number>> = {
  static: 1,
  dynamic: 2,
  'catch-all': 3,
  'optional-catch-all': 4,
}

/** As pages are chosen (R2): at the first difference static is before dynamic, dynamic before catch-all. */
function compare(left: readonly Segment[], right: readonly Segment[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const ranks = [left[index], right[index]].map((segment) => (segment ? RANKS[segment.kind] : 0))
    if (ranks[0] !== ranks[1]) return ranks[0]! - ranks[1]!
  }
  return 0
}

/** Applies the rules in their order; null when the last one is false. */
function changedPolicy(rules: readonly (CspRule | false)[]): CspPolicy | null {
  if (rules.at(-1) === false) return null
  const applied = rules.filter((rule) => rule !== false)
  const names = new Set([...Object.keys(DEFAULT_DIRECTIVES), ...applied.flatMap(({ changes }) => Object.keys(changes))])
  const directives: CspPolicy['directives'] = {}
  // The config's parser has checked the names.
  for (const name of names) directives[name] = sourcesOf(name as CspDirectiveName, applied) ?? []
  return { directives, reportOnly: applied.findLast((rule) => rule.reportOnly !== undefined)?.reportOnly ?? false }
}

/** The kinds of hashed files that documents name. */
const ASSET_DIRECTIVES = [
  'script-src',
  'script-src-elem',
  'style-src',
  'style-src-elem',
  'font-src',
  'img-src',
  'media-src',
]

/** A directive that allows the files of the site allows them at their other origin. */
function withAssets(policy: CspPolicy | null, assetPrefix: string): CspPolicy | null {
  if (!policy || !URL.canParse(assetPrefix)) return policy
  const { origin } = new URL(assetPrefix)
  const directives = { ...policy.directives }
  for (const name of ASSET_DIRECTIVES) {
    const sources = directives[name]
    if (sources?.includes("'self'")) directives[name] = withoutRepeats([...sources, origin])
  }
  return { ...policy, directives }
}

/**
 * The sources of a directive; undefined for one that neither the defaults nor a rule has. A list is added to what
 * browsers allow without the list: they use another directive in place of a missing one.
 */
function sourcesOf(name: CspDirectiveName, rules: readonly CspRule[]): CspSource[] | undefined {
  const changes = rules.flatMap(({ changes }) => changes[name] ?? [])
  const own = DEFAULT_DIRECTIVES[name]
  if (!own && changes.length === 0) return undefined
  let sources: readonly CspSource[] = own ?? insteadOf(name, rules)
  for (const change of changes)
    sources = change.replaces ? change.sources : [...sources.filter((source) => source !== "'none'"), ...change.sources]
  return withoutRepeats(sources)
}

function insteadOf(name: CspDirectiveName, rules: readonly CspRule[]): readonly CspSource[] {
  for (const other of DIRECTIVES[name].insteadOf) {
    const sources = sourcesOf(other, rules)
    if (sources) return sources
  }
  return []
}

function withoutRepeats(sources: readonly CspSource[]): CspSource[] {
  return [...new Map(sources.map((source) => [JSON.stringify(source), source])).values()]
}

/**
 * The default error screens have one inline style and nothing else. They may be framed as the site's pages, except by
 * hosts of the environment: the gateway has no environment of the site.
 */
function screenPolicy(site: CspRule | false): PolicyHeader | null {
  const policy = changedPolicy([site])
  if (!policy) return null
  const ancestors = policy.directives['frame-ancestors']!.filter((source) => typeof source === 'string')
  return policyHeader({
    directives: {
      'default-src': ["'none'"],
      'style-src': ["'unsafe-inline'"],
      'frame-ancestors': ancestors.length > 0 ? ancestors : ["'none'"],
    },
    reportOnly: policy.reportOnly,
  })
}
