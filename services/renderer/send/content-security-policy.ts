// The content security policy of documents (G6). Whole documents contain no inline script except those whose hashes the
// policy names; streamed documents, and those in which page code read the nonce, name the nonce of their scripts.

import { randomBytes } from 'node:crypto'
import type { DocumentNonce } from '@portico/shared/wire/bundles.ts'
import {
  type PolicyHeader,
  policyHeader,
  type ResolvedPolicy,
} from '@portico/shared/wire/policy/content-security-policy.ts'

/** The inline scripts that a document contains. */
interface AllowedScripts {
  nonce?: string | undefined
  /** Sources such as `'sha256-…'`, with the quotes. */
  scriptHashes: readonly string[]
}

/** The directives that decide about inline `<script>` elements. */
const SCRIPT_DIRECTIVES = ['script-src', 'script-src-elem'] as const

/** The policy of a document: the directives of its route with the nonce and the hashes of its scripts. */
export function contentSecurityPolicy(
  policy: ResolvedPolicy | undefined,
  { nonce, scriptHashes }: AllowedScripts,
): PolicyHeader | undefined {
  if (!policy) return undefined
  const allowed = nonce === undefined ? scriptHashes : [`'nonce-${nonce}'`, ...scriptHashes]
  if (allowed.length === 0) return policyHeader(policy)
  const directives = { ...policy.directives }
  for (const name of SCRIPT_DIRECTIVES) {
    const sources = directives[name]
    // Browsers ignore 'unsafe-inline' where a directive has a nonce or a hash (CSP3 section 6.7.3.2), and 'none' next
    // to any other source: either is what the author chose.
    if (!sources || sources.includes("'unsafe-inline'") || sources.includes("'none'")) continue
    directives[name] = [...sources, ...allowed]
  }
  return policyHeader({ ...policy, directives })
}

/** Whether the policy allows only scripts that have a nonce, the framework's own included. */
export function needsNonce(policy: ResolvedPolicy | undefined): boolean {
  return SCRIPT_DIRECTIVES.some((name) => policy?.directives[name]?.includes("'strict-dynamic'"))
}

/** 128 random bits, one nonce for each response, if anything of the document reads it. */
export function createDocumentNonce(): DocumentNonce {
  let value: string | undefined
  return {
    read() {
      value ??= randomBytes(16).toString('base64')
      return value
    },
    get value() {
      return value
    },
  }
}
