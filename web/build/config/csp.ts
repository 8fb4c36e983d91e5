// The content security policy of a site (G6, R7): which directives `csp` of portico.config.ts may set, how its rules are
// checked, and the table of policies, route by route, that the build writes into the manifest.

import { isPerRequest, type PageEntry } from '@portico/shared/wire/build-output.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import {
  type CspDirectiveName,
  type CspPolicy,
  type CspSource,
  type CspTable,
  DEFAULT_DIRECTIVES,
  isCspSource,
  isReportAddress,
  type PolicyHeader,
  policyHeader,
} from '@portico/shared/wire/policy/content-security-policy.ts'
import { parsePattern, type Segment } from '@portico/shared/wire/routing/routes.ts'
import { BuildError } from '../build-error.ts'
import { type Refuse, refuseUnknown } from './fields.ts'

interface DirectiveRule {
  /** The directives that browsers use instead of a missing one, in this order. */
  insteadOf: readonly CspDirectiveName[]
  /** Undefined for a text that the directive accepts, else the rule. */
  fault: (text: string) => string | undefined
  /** Whether a source may be a value of `publicEnv`. */
  takesEnv: boolean
  /** Least and most members of its list. */
  count: readonly [number, number]
}

const MANY = Number.POSITIVE_INFINITY
const ANYWHERE = ["'self'", "'none'"]
const OF_STYLES = [...ANYWHERE, "'unsafe-inline'", "'unsafe-hashes'", "'report-sample'"]
const OF_SCRIPTS = [...OF_STYLES, "'unsafe-eval'", "'wasm-unsafe-eval'", "'inline-speculation-rules'"]
const STRICT_DYNAMIC = "'strict-dynamic'"
const HASH = /^'sha(256|384|512)-[A-Za-z0-9+/_-]+={0,2}'$/

function sources(keywords: readonly string[], insteadOf: readonly CspDirectiveName[] = []): DirectiveRule {
  const takesHashes = keywords.includes("'unsafe-inline'")
  const quoted = new Set([...OF_SCRIPTS, STRICT_DYNAMIC].map((keyword) => keyword.slice(1, -1)))
  const fault = (text: string) => {
    if (keywords.includes(text) || (takesHashes && HASH.test(text))) return undefined
    if (quoted.has(text.toLowerCase())) return `is a keyword, which has quotes: "'${text.toLowerCase()}'"`
    if (/^sha(256|384|512)-/.test(text)) return `is a hash, which has quotes: "'${text}'"`
    if (/^'?nonce-/.test(text)) return 'a nonce is for one response; read it in pages by useNonce()'
    if (text.startsWith("'")) return `is not a keyword of this directive; known: ${keywords.join(' ')}`
    if (isCspSource(text)) return undefined
    return "must be a host like https://api.example.org, a scheme like data:, or a keyword like 'self', without spaces, ';' and ','"
  }
  return { insteadOf, fault, takesEnv: true, count: [1, MANY] }
}

function tokens(pattern: RegExp, rule: string, count: DirectiveRule['count']): DirectiveRule {
  return { insteadOf: [], fault: (text) => (pattern.test(text) ? undefined : rule), takesEnv: false, count }
}

const SCRIPTS = [...OF_SCRIPTS, STRICT_DYNAMIC]

/** SECURITY: no accepted text contains `;`, `,` or white space: none can begin another directive, policy or header. */
const DIRECTIVES: Readonly<Record<CspDirectiveName, DirectiveRule>> = {
  'default-src': sources(OF_SCRIPTS),
  'script-src': sources(SCRIPTS, ['default-src']),
  'script-src-elem': sources(SCRIPTS, ['script-src']),
  'script-src-attr': sources(OF_SCRIPTS, ['script-src']),
  'style-src': sources(OF_STYLES, ['default-src']),
  'style-src-elem': sources(OF_STYLES, ['style-src']),
  'style-src-attr': sources(OF_STYLES, ['style-src']),
  'img-src': sources(ANYWHERE, ['default-src']),
  'font-src': sources(ANYWHERE, ['default-src']),
  'media-src': sources(ANYWHERE, ['default-src']),
  'connect-src': sources(ANYWHERE, ['default-src']),
  'object-src': sources(ANYWHERE, ['default-src']),
  'manifest-src': sources(ANYWHERE, ['default-src']),
  'child-src': sources(ANYWHERE, ['default-src']),
  'frame-src': sources(ANYWHERE, ['child-src', 'default-src']),
  'worker-src': sources(ANYWHERE, ['child-src', 'script-src', 'default-src']),
  'base-uri': sources(ANYWHERE),
  'form-action': sources(ANYWHERE),
  'frame-ancestors': sources(ANYWHERE),
  sandbox: tokens(/^allow-[a-z-]+$/, 'must be a permission like allow-scripts', [0, MANY]),
  'upgrade-insecure-requests': tokens(/^$/, 'takes no values; use []', [0, 0]),
  'report-to': tokens(/^[A-Za-z0-9_.-]+$/, 'must be one name of a Reporting-Endpoints header', [1, 1]),
  'report-uri': {
    insteadOf: [],
    fault: (text) =>
      isReportAddress(text) ? undefined : "must be a path of this site or an http(s) URL, without spaces, ';' and ','",
    takesEnv: true,
    count: [1, MANY],
  },
  'require-trusted-types-for': tokens(/^'script'$/, 'must be "\'script\'"', [1, 1]),
  'trusted-types': tokens(
    /^([A-Za-z0-9\-#=_/@.%]+|\*|'none'|'allow-duplicates')$/,
    "must be a name of a policy, * , 'none' or 'allow-duplicates'",
    [1, MANY],
  ),
}

/** Browsers ignore these directives in a policy that only reports (CSP3 sections 6.3.2 and 7). */
const NOT_REPORT_ONLY: readonly string[] = ['sandbox', 'upgrade-insecure-requests']

interface CspChange {
  sources: CspSource[]
  /** Whether the sources replace what the directive allows, or are added. */
  replaces: boolean
}

// The `csp` of portico.config.ts: changes of the policy for the site and for routes.

interface CspRule {
  changes: Record<string, CspChange>
  reportOnly?: boolean
}

/** false is no policy. */
export interface CspSettings {
  site: CspRule | false
  /** Key: pattern of pages. */
  routes: Record<string, CspRule | false>
}

interface Context {
  /** The `publicEnv` of the config, as written. */
  publicEnv: unknown
  refuse: Refuse
}

export function parseCsp(value: unknown, context: Context): CspSettings {
  const { refuse } = context
  if (value === undefined) return { site: { changes: {} }, routes: {} }
  if (value === false) return { site: false, routes: {} }
  if (!isRecord(value)) {
    refuse('csp', value, 'must be an object { directives, reportOnly, routes }, or false for no policy')
    return { site: false, routes: {} }
  }
  const { routes, ...site } = value
  const parsed: CspSettings = { site: parseRule('csp', site, context), routes: {} }
  if (directivesWith(parsed.site, STRICT_DYNAMIC).length > 0)
    refuse(
      'csp.directives',
      STRICT_DYNAMIC,
      `needs a nonce in every document; set it in csp.routes for pages with getServerSideProps`,
    )
  if (routes !== undefined && !isRecord(routes)) refuse('csp.routes', routes, 'must be an object with patterns as keys')
  else
    for (const [pattern, rule] of Object.entries(routes ?? {})) {
      const field = `csp.routes[${JSON.stringify(pattern)}]`
      if (!PATTERN.test(pattern))
        refuse(field, pattern, 'must be a pattern of pages like "/places/[slug]" or "/shop/[...rest]"')
      else if (rule === false) parsed.routes[pattern] = false
      else if (isRecord(rule)) parsed.routes[pattern] = parseRule(field, rule, context)
      else refuse(field, rule, 'must be an object { directives, reportOnly }, or false for no policy')
    }
  return parsed
}

/** Segments of text and `[name]`; a catch-all only at the end. */
const PATTERN = /^\/$|^(\/([^/[\]]+|\[[^/[\].]+\]))*(\/\[\.{3}[^/[\].]+\]|\/\[\[\.{3}[^/[\].]+\]\])?$/

/** The directives whose changes have the source. */
function directivesWith(rule: CspRule | false, source: string): string[] {
  if (!rule) return []
  return Object.keys(rule.changes).filter((name) => rule.changes[name]!.sources.includes(source))
}

function parseRule(field: string, rule: Record<string, unknown>, context: Context): CspRule {
  const { refuse } = context
  refuseUnknown(
    field,
    rule,
    field === 'csp' ? ['directives', 'reportOnly', 'routes'] : ['directives', 'reportOnly'],
    refuse,
  )
  const { directives = {}, reportOnly } = rule
  const parsed: CspRule = { changes: {} }
  if (typeof reportOnly === 'boolean') parsed.reportOnly = reportOnly
  else if (reportOnly !== undefined) refuse(`${field}.reportOnly`, reportOnly, 'must be true or false')
  if (!isRecord(directives)) {
    refuse(`${field}.directives`, directives, 'must be an object with directives as keys')
    return parsed
  }
  for (const [name, value] of Object.entries(directives)) {
    const change = parseChange(name, `${field}.directives[${JSON.stringify(name)}]`, value, context)
    if (change) parsed.changes[name] = change
  }
  return parsed
}

function parseChange(name: string, field: string, value: unknown, context: Context): CspChange | undefined {
  const { refuse } = context
  if (!isDirective(name)) {
    refuse(field, value, `is not a directive; known: ${Object.keys(DIRECTIVES).join(', ')}`)
    return undefined
  }
  const replaces = isRecord(value)
  if (replaces) refuseUnknown(field, value, ['replace'], refuse)
  const list: unknown = replaces ? value.replace : value
  const [least, most] = DIRECTIVES[name].count
  if (!Array.isArray(list)) {
    refuse(field, value, 'must be a list, which adds sources, or { replace: [ … ] }')
    return undefined
  }
  if (list.length < least) refuse(field, value, `must have a source; { replace: ["'none'"] } allows nothing`)
  if (list.length > most) refuse(field, value, most === 0 ? 'must be []' : 'must have one member')
  if (list.includes("'none'") && !(replaces && list.length === 1))
    refuse(field, value, `'none' is not next to other sources; use { replace: ["'none'"] }`)
  for (const [index, source] of list.entries()) checkSource(name, `${field}[${index}]`, source, context)
  // checkSource has refused every other member, and a fault discards the config.
  return { sources: list as CspSource[], replaces }
}

function isDirective(name: string): name is CspDirectiveName {
  return Object.hasOwn(DIRECTIVES, name)
}

function checkSource(name: CspDirectiveName, field: string, source: unknown, { publicEnv, refuse }: Context): void {
  const { fault, takesEnv } = DIRECTIVES[name]
  if (typeof source === 'string') {
    const rule = fault(source)
    if (rule) refuse(field, source, rule)
  } else if (!isRecord(source) || typeof source.env !== 'string' || !takesEnv) {
    refuse(field, source, `must be text${takesEnv ? ' or { env: "NAME" }' : ''}`)
  } else {
    refuseUnknown(field, source, ['env'], refuse)
    const rule = isRecord(publicEnv) && Object.hasOwn(publicEnv, source.env) ? publicEnv[source.env] : undefined
    if (!isRecord(rule) || !(rule.type === 'string' || rule.type === 'url'))
      refuse(field, source, 'must name a value of publicEnv with the type "string" or "url"')
  }
}

type Page = Pick<PageEntry, 'pattern' | 'file' | 'data'>

/** Only their own patterns cover screens: a policy is the same with a screen of the app folder and with the default one. */
const SCREENS = ['/404', '/500', '/_error']
/** Without pages/500 the screen of an exception is `/_error`. */
const DEFAULT_SCREENS = ['/404', '/_error']

// The defaults, changed by `csp` of portico.config.ts, for the routes of the app folder.

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
