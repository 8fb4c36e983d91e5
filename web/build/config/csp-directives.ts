// The directives that `csp` of portico.config.ts may set, and what each accepts (CSP3 sections 2.3.1 and 6).

import {
  type CspDirectiveName,
  isCspSource,
  isReportAddress,
} from '@portico/shared/wire/policy/content-security-policy.ts'

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
export const STRICT_DYNAMIC = "'strict-dynamic'"
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
export const DIRECTIVES: Readonly<Record<CspDirectiveName, DirectiveRule>> = {
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
export const NOT_REPORT_ONLY: readonly string[] = ['sandbox', 'upgrade-insecure-requests']
