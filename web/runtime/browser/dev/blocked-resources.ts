// Notes what the content security policy forbids (G6), with what to do. A page that the violation breaks reports the fault
// itself: the note is the cause.

import type { DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import type { MapStack } from './map-stack.ts'

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
  /** Receives all violations since the last `clear`. */
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

/**
 * Notes violations from now on, and those before the start of this module, which browsers keep for an observer. Returns the
 * function that forgets those of the page that was left.
 */
export function watchBlockedResources({ mapStack, setWarnings }: BlockedResourcesDeps): () => void {
  const warnings = new Map<string, DevWarning>()
  const add = (warning: DevWarning) => {
    // The same violation arrives by both ways.
    if (warnings.has(warning.text)) return
    warnings.set(warning.text, warning)
    setWarnings([...warnings.values()])
  }
  const report = async (violation: Violation, { sourceFile, lineNumber, columnNumber }: Cause) => {
    const { effectiveDirective, blocked } = violation
    const isInlineScript = blocked === 'inline' && effectiveDirective === 'script-src-elem'
    const hashes = isInlineScript ? await blockedHashes(violation.originalPolicy) : []
    const { place } = await mapStack(`    at ${sourceFile}:${lineNumber}:${columnNumber}`)
    const at = place && { file: place.file, line: place.line }
    for (const hash of hashes.length > 0 ? hashes : [undefined])
      add({ text: describeViolation(violation, location.origin, hash), ...at })
  }
  document.addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI: blocked, originalPolicy, disposition } = event
    void report({ effectiveDirective, blocked, originalPolicy, disposition }, event)
  })
  if ('ReportingObserver' in globalThis) {
    const observer = new ReportingObserver(
      (reports) => {
        // Each is of the listed type.
        for (const body of reports.map((report) => report.body as unknown as ViolationReport)) {
          const { effectiveDirective, blockedURL, originalPolicy, disposition } = body
          void report({ effectiveDirective, blocked: blockedURL ?? '', originalPolicy, disposition }, body)
        }
      },
      { types: ['csp-violation'], buffered: true },
    )
    observer.observe()
  }
  return () => {
    warnings.clear()
    setWarnings([])
  }
}

/** Types of inline scripts that browsers do not run, such as JSON (HTML section 4.12.1). */
const IS_DATA = /^(?!$|module$|text\/javascript$|application\/javascript$)/

/**
 * The hashes of the document's inline scripts that a policy does not allow, as sources of the policy. A violation does not
 * name its script. Empty where the page is no secure context, which has no hashes.
 */
async function blockedHashes(policy: string): Promise<string[]> {
  const scripts = [...document.scripts].filter(
    ({ src, type, nonce }) => src === '' && !IS_DATA.test(type) && !(nonce && policy.includes(`'nonce-${nonce}'`)),
  )
  if (crypto.subtle === undefined) return []
  const hashes = await Promise.all(
    scripts.map(async ({ text }) => {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
      return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`
    }),
  )
  return hashes.filter((hash) => !policy.includes(hash))
}

/** What was blocked, and what to do; `hash` is that of a blocked inline script, as a source of the policy. */
export function describeViolation(violation: Violation, ownOrigin: string, hash?: string): string {
  const { effectiveDirective, blocked, originalPolicy, disposition } = violation
  const directives = originalPolicy.split(';').map((text) => text.trim().split(/\s+/)[0])
  const wider = WIDER[effectiveDirective]
  const directive = wider && !directives.includes(effectiveDirective) ? wider : effectiveDirective
  const what = blocked === 'inline' ? inlineName(effectiveDirective) : blocked
  const verb = disposition === 'report' ? 'would block' : 'blocked'
  return `The content security policy (${directive}) ${verb} ${what}. ${remedyOf(directive, blocked, ownOrigin, hash)}`
}

function inlineName(directive: string): string {
  if (directive.endsWith('-attr'))
    return directive.startsWith('script') ? 'an inline event handler' : 'a style attribute'
  return directive.startsWith('script') ? 'an inline script' : 'an inline style'
}

function remedyOf(directive: string, blocked: string, ownOrigin: string, hash: string | undefined): string {
  if (blocked === 'inline' && directive.startsWith('script')) {
    const others =
      'Move the script to a file or to pages/_document, or give it the nonce of useNonce() in a page with getServerSideProps.'
    return hash === undefined ? others : `Script of a library: ${allow(directive, hash)}. Script of your own: ${others}`
  }
  const source = blocked === 'inline' ? "'unsafe-inline'" : (KEYWORDS[blocked] ?? sourceOf(blocked, ownOrigin))
  return `${LIBRARIES[blocked] ?? ''}${allow(directive, source)}`
}

function allow(directive: string, source: string): string {
  const quoted = source.startsWith("'") ? `"${source}"` : `'${source}'`
  const change = `{ directives: { '${directive}': [${quoted}] } }`
  return `Allow it in portico.config.ts: csp: ${change}, or for one page: csp: { routes: { '<page pattern>': ${change} } }`
}

/** SECURITY: code made of text is what the policy is for, so that options of the usual libraries come first. */
const LIBRARIES: Readonly<Record<string, string>> = {
  eval: "Libraries make code of text: with zod call z.config({ jitless: true }) once; with ajv write the validators in the build: new Ajv({ code: { source: true, esm: true } }) and standaloneCode of 'ajv/dist/standalone'. Without such an option: ",
}

/** What an EvalError of the policy leads to: the page that it breaks shows the error over the note. */
export function evalRemedy(): string {
  return remedyOf('script-src', 'eval', '', undefined)
}

/** The origin of an address, or its scheme: the origin of a blob is that of the page. */
function sourceOf(address: string, ownOrigin: string): string {
  if (!URL.canParse(address)) return address
  const { origin, protocol } = new URL(address)
  if (!/^(https?|wss?):$/.test(protocol)) return protocol
  return origin === ownOrigin ? "'self'" : origin
}
