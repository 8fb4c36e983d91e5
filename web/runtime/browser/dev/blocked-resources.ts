// Reports what the content security policy forbids (G6), with the setting of portico.config.ts that would allow it.

import type { DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import type { Fault } from './faults.ts'
import type { MapStack } from './stacks/map-stack.ts'

/** The members of a violation that are read. */
interface Violation {
  /** For example `script-src-elem`. */
  effectiveDirective: string
  /** An address, or a word such as `inline`. */
  blocked: string
  originalPolicy: string
  disposition: 'enforce' | 'report'
}

interface BlockedResourcesDeps {
  mapStack: MapStack
  add: (fault: Fault) => void
  /** Receives all violations of policies that only report. */
  setWarnings: (warnings: readonly DevWarning[]) => void
}

/** The place of the code that caused the violation. */
interface Cause {
  sourceFile: string | null
  lineNumber: number | null
  columnNumber: number | null
}

/** CSP3 section 5.3; TypeScript knows the report without its members. */
interface ViolationReport extends Omit<Violation, 'blocked'>, Cause {
  blockedURL: string | null
}

/** The directive that a policy usually sets in place of the narrower one. */
const WIDER: Readonly<Record<string, string>> = {
  'script-src-elem': 'script-src',
  'script-src-attr': 'script-src',
  'style-src-elem': 'style-src',
  'style-src-attr': 'style-src',
}
const KEYWORDS: Readonly<Record<string, string>> = {
  eval: "'unsafe-eval'",
  'wasm-eval': "'wasm-unsafe-eval'",
  data: 'data:',
  blob: 'blob:',
  filesystem: 'filesystem:',
}

/** Reports violations from now on, and those before the start of this module, which browsers keep for an observer. */
export function watchBlockedResources({ mapStack, add, setWarnings }: BlockedResourcesDeps): void {
  const reported = new Set<string>()
  const report = async (violation: Violation, { sourceFile, lineNumber, columnNumber }: Cause) => {
    const message = describeViolation(violation, location.origin)
    if (violation.disposition === 'report') return setWarnings([...reported.add(message)].map((text) => ({ text })))
    const { stack, place } = await mapStack(`    at ${sourceFile}:${lineNumber}:${columnNumber}`)
    add({ source: 'browser', message, stack, ...place })
  }
  document.addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI: blocked, originalPolicy, disposition } = event
    void report({ effectiveDirective, blocked, originalPolicy, disposition }, event)
  })
  if (!('ReportingObserver' in globalThis)) return
  const observer = new ReportingObserver(
    (reports) => {
      // Of the listed type; the same violation is one fault.
      for (const body of reports.map((report) => report.body as unknown as ViolationReport)) {
        const { effectiveDirective, blockedURL, originalPolicy, disposition } = body
        void report({ effectiveDirective, blocked: blockedURL ?? '', originalPolicy, disposition }, body)
      }
    },
    { types: ['csp-violation'], buffered: true },
  )
  observer.observe()
}

/** What was blocked, and the setting that would allow it. */
export function describeViolation(violation: Violation, ownOrigin: string): string {
  const { effectiveDirective, blocked, originalPolicy, disposition } = violation
  const directives = originalPolicy.split(';').map((text) => text.trim().split(/\s+/)[0])
  const wider = WIDER[effectiveDirective]
  const directive = wider && !directives.includes(effectiveDirective) ? wider : effectiveDirective
  const what = blocked === 'inline' ? inlineName(effectiveDirective) : blocked
  const verb = disposition === 'report' ? 'would block' : 'blocked'
  return `The content security policy (${directive}) ${verb} ${what}. ${remedyOf(directive, blocked, ownOrigin)}`
}

function inlineName(directive: string): string {
  if (directive.endsWith('-attr'))
    return directive.startsWith('script') ? 'an inline event handler' : 'a style attribute'
  return directive.startsWith('script') ? 'an inline script' : 'an inline style'
}

function remedyOf(directive: string, blocked: string, ownOrigin: string): string {
  if (blocked === 'inline' && directive.startsWith('script'))
    return 'Move the script to a file or to pages/_document, or give it the nonce of useNonce() in a page with getServerSideProps.'
  const source = blocked === 'inline' ? "'unsafe-inline'" : (KEYWORDS[blocked] ?? sourceOf(blocked, ownOrigin))
  const quoted = source.startsWith("'") ? `"${source}"` : `'${source}'`
  const change = `{ directives: { '${directive}': [${quoted}] } }`
  return `Allow it in portico.config.ts: csp: ${change}, or for one page: csp: { routes: { '<page pattern>': ${change} } }`
}

/** The origin of an address, or its scheme: the origin of a blob is that of the page. */
function sourceOf(address: string, ownOrigin: string): string {
  if (!URL.canParse(address)) return address
  const { origin, protocol } = new URL(address)
  if (!/^(https?|wss?):$/.test(protocol)) return protocol
  return origin === ownOrigin ? "'self'" : origin
}
