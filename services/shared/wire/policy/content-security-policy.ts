// The content security policy (G6): its default directives, the table that the build writes into the manifest, and the
// sources that come from the environment of a service.

import type { PublicValues } from '../page-data.ts'

export type CspDirectiveName =
  | `${'default' | 'script' | 'style' | 'img' | 'font' | 'media' | 'connect' | 'object' | 'manifest'}-src`
  | `${'child' | 'frame' | 'worker'}-src`
  | `${'script' | 'style'}-src-${'elem' | 'attr'}`
  | `${'base' | 'report'}-uri`
  | 'form-action'
  | 'frame-ancestors'
  | 'sandbox'
  | 'upgrade-insecure-requests'
  | 'report-to'
  | 'require-trusted-types-for'
  | 'trusted-types'

/** A source of a directive: text as in the header, or the name of a value of `publicEnv`. */
export type CspSource = string | { env: string }

export interface CspPolicy {
  /** Every directive with its sources; the renderer adds nonces and hashes only. */
  directives: Record<string, CspSource[]>
  /** Browsers report what the policy forbids, and block nothing. */
  reportOnly: boolean
}

/** The policies of a site; null is no policy. */
export interface CspTable {
  site: CspPolicy | null
  /** Routes with another policy than the site. */
  routes: Record<string, CspPolicy | null>
  /** The policy of the error screens that services write without the app folder. */
  screen: PolicyHeader | null
}

/** A policy without names of the environment. */
export interface ResolvedPolicy {
  directives: Readonly<Record<string, readonly string[]>>
  reportOnly: boolean
}

export interface PolicyHeader {
  name: 'content-security-policy' | 'content-security-policy-report-only'
  value: string
}

/** The policy of a site without `csp`. */
export const DEFAULT_DIRECTIVES: Readonly<Partial<Record<CspDirectiveName, readonly string[]>>> = {
  'default-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'blob:', 'https:'],
  'font-src': ["'self'", 'data:'],
  'media-src': ["'self'", 'https:'],
  'connect-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'self'"],
  'script-src': ["'self'"],
}

/** Joins a policy to its header. */
export function policyHeader({ directives, reportOnly }: ResolvedPolicy): PolicyHeader {
  const value = Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ')
  return { name: reportOnly ? 'content-security-policy-report-only' : 'content-security-policy', value }
}

/**
 * A scheme (`https:`), or a host with optional scheme, port and path (CSP3 section 2.3.1). SECURITY: the grammar has no
 * `;`, `,`, quote, white space or control character: no source can add a directive, a keyword or a header.
 */
const SOURCE =
  /^(?:[a-z][a-z0-9+.-]*:|(?:[a-z][a-z0-9+.-]*:\/\/)?(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::(?:\d{1,5}|\*))?(?:\/[\w\-.~%!$&()*+=:@/]*)?)$/i

/** Whether a text is a scheme or a host of a directive. */
export function isCspSource(text: string): boolean {
  return SOURCE.test(text)
}

/** SECURITY: printable ASCII without `,` and `;`, for the same reason. */
const REPORT_ADDRESS = /^(https?:\/\/|\/(?!\/))[\x21-\x2b\x2d-\x3a\x3c-\x7e]*$/

/** Whether a text is a member of `report-uri`: an address of this site or of another one. */
export function isReportAddress(text: string): boolean {
  return REPORT_ADDRESS.test(text)
}

export const ENV_SOURCE_RULE =
  'a host like https://api.example.org, without spaces, quotes, ";" and "," (csp of portico.config.ts)'

/** Receives the name and the value of the environment that are no source. */
type RefuseSource = (name: string, value: unknown) => void

/** Replaces the names of the environment by their values. A name without a value gives no source. */
export function resolvePolicy(
  policy: CspPolicy | null,
  values: PublicValues,
  refuse: RefuseSource,
): ResolvedPolicy | undefined {
  if (!policy) return undefined
  const resolve = (source: CspSource, directive: string): string[] => {
    if (typeof source === 'string') return [source]
    const value = values[source.env]
    if (value === undefined || value === null || value === '') return []
    const isReport = directive === 'report-uri'
    const text = isReport ? String(value) : originOf(String(value))
    if (isReport ? isReportAddress(text) : isCspSource(text)) return [text]
    refuse(source.env, value)
    return []
  }
  const directives = Object.entries(policy.directives).flatMap(([name, sources]): [string, string[]][] => {
    const texts = [...new Set(sources.flatMap((source) => resolve(source, name)))]
    if (texts.length > 0 || sources.length === 0) return [[name, texts]]
    // Without a value of the environment a list is empty: it allows nothing, and nothing is reported.
    return name === 'report-uri' ? [] : [[name, ["'none'"]]]
  })
  return { directives: Object.fromEntries(directives), reportOnly: policy.reportOnly }
}

/** The origin of an address: a path would allow only this one file, and a user name is no part of a source. */
function originOf(value: string): string {
  // URL drops line breaks and tabs, which a value must not have.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s\p{Cc}]+$/iu.test(value) || !URL.canParse(value)) return value
  const { origin } = new URL(value)
  return origin === 'null' ? value : origin
}
