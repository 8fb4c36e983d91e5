// Checks the default export of portico.config.ts.
// Guarantees: one error lists every fault with field, value and rule (R7); what it returns has every default filled in.
// Leaves running the file and the fields of another framework to load-config.ts, and what fields mean together with the
// folder to those who read both: csp.ts for the routes of a policy, refuseUnusedOrigins for rewrites.

import type {
  EnvRule,
  HeaderRule,
  I18n,
  ImageSettings,
  PluginsContext,
  PublicEnvRule,
  RedirectRule,
  RewriteOrigin,
  RewriteRule,
} from '@portico/shared/wire/build-output.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from '../build-error.ts'
import { type CspSettings, parseCsp } from './csp.ts'
import {
  meantOrKnown,
  parseEnv,
  parseI18n,
  parseImageSettings,
  parsePublicEnv,
  parseRewriteOrigins,
  type Refuse,
} from './fields.ts'
import { parseHeaderRule, parseRedirect, parseRewrites, parseRules, refusePolicies } from './route-rules.ts'

export { findConfigFile, loadFault, offsetOfField, type RunConfig, runConfigFile } from './config-file.ts'
export { createCspTable } from './csp.ts'
export { originsOf, type Refuse, refuseUnusedOrigins } from './fields.ts'
export { parseMatcher, parseRules, withNotEmpty, withNotEmptyConditions } from './route-rules.ts'

export interface SiteConfig {
  basePath: string
  /** In front of the addresses of hashed files in builds, without a slash at the end; absent: basePath. */
  assetPrefix?: string
  trailingSlash: boolean
  /** Absent: the site has no locales. */
  i18n?: I18n
  redirects: RedirectRule[]
  rewrites: RewriteRule[]
  rewriteOrigins: Record<string, RewriteOrigin>
  headers: HeaderRule[]
  csp: CspSettings
  images: ImageSettings
  publicEnv: Record<string, PublicEnvRule>
  env: Record<string, EnvRule>
  serverExternalPackages: string[]
  transpilePackages: string[]
  /** When pages with known paths are rendered for the first time (X9). */
  prerender: 'build' | 'start'
  /** Where the source maps of browsers are: next to the build, next to the scripts, or nowhere. */
  sourceMaps: 'hidden' | 'public' | false
  /** Packages whose imports of server code are stubs in the browser. */
  browserStubs: string[]
  /** Endings of pages and API handlers, without the first dot. */
  pageExtensions?: string[]
  /** A function of the config file: it is no part of the manifest or of the build id. */
  plugins?: (context: PluginsContext) => unknown
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  middleware: 'is no field: write middleware.ts next to pages/',
  output: 'is not supported; every build can be moved to another machine',
}
const KNOWN = [
  'basePath',
  'trailingSlash',
  'assetPrefix',
  'i18n',
  'redirects',
  'rewrites',
  'rewriteOrigins',
  'headers',
  'csp',
  'images',
  'publicEnv',
  'env',
  'serverExternalPackages',
  'transpilePackages',
  'browserStubs',
  'prerender',
  'sourceMaps',
  'pageExtensions',
  'plugins',
  'next',
  'inlineEnv',
]

/**
 * Checks a config and fills in defaults. `placeOf` has the file that sets a field, with the line where it is known. Throws
 * BuildError with one line per fault.
 */
export function parseSiteConfig(
  value: unknown,
  placeOf: (field: string) => string | undefined = () => undefined,
): SiteConfig {
  const faults: string[] = []
  const nameOf = (field: string) => placeOf(field) ?? 'portico.config.ts'
  const refuse: Refuse = (field, bad, rule) => faults.push(`${nameOf(field)}: ${field} = ${shownValue(bad)}: ${rule}`)
  if (!isRecord(value)) throw new BuildError(`${nameOf('')}: must export an object`)
  for (const name of Object.keys(value)) {
    const rule = settingRule(name)
    if (rule !== undefined) refuse(name, value[name], rule)
  }
  const i18n = parseI18n(value.i18n, refuse)
  const config: SiteConfig = {
    basePath: parseBasePath(value.basePath, refuse),
    trailingSlash: parseBoolean('trailingSlash', value.trailingSlash, refuse),
    ...(i18n && { i18n }),
    redirects: parseRules('redirects', value.redirects, refuse, parseRedirect),
    rewrites: parseRewrites(value.rewrites, refuse),
    rewriteOrigins: parseRewriteOrigins(value.rewriteOrigins, refuse),
    headers: parseRules('headers', value.headers, refuse, parseHeaderRule),
    csp: parseCsp(value.csp, { publicEnv: value.publicEnv, refuse }),
    images: parseImageSettings(value.images, refuse),
    publicEnv: parsePublicEnv(value.publicEnv, refuse),
    env: parseEnv(value.env, value.publicEnv, refuse),
    ...parsePackages(value, refuse),
    browserStubs: parseStrings('browserStubs', value.browserStubs, refuse),
    prerender: parsePrerender(value.prerender, refuse),
    sourceMaps: parseSourceMaps(value.sourceMaps, refuse),
  }
  // site-mode.ts has read the value.
  const hasMode = parseBoolean('next', value.next, refuse)
  // The adapter has read the value.
  if (parseBoolean('inlineEnv', value.inlineEnv, refuse) && !hasMode)
    refuse('inlineEnv', true, 'is for compatibility mode: set next: true, too')
  if (config.csp.site !== false) refusePolicies(config.headers, refuse)
  const assetPrefix = parseAssetPrefix(value.assetPrefix, refuse)
  if (assetPrefix !== config.basePath && assetPrefix !== '') config.assetPrefix = assetPrefix
  const pageExtensions = parseExtensions(value.pageExtensions, refuse)
  if (pageExtensions) config.pageExtensions = pageExtensions
  const plugins = parsePlugins(value.plugins, refuse)
  if (plugins) config.plugins = plugins
  if (faults.length > 0) throw new BuildError(faults)
  return config
}

/** Longer values are cut: the place has them. */
const SHOWN_CHARACTERS = 120

function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

/** Why a name is not a setting; undefined for a setting. */
export function settingRule(name: string): string | undefined {
  if (Object.hasOwn(REPLACEMENTS, name)) return REPLACEMENTS[name]
  return KNOWN.includes(name) ? undefined : `is not a setting${meantOrKnown(name, KNOWN)}`
}

function parseBasePath(value: unknown, refuse: Refuse): string {
  if (value === undefined || value === '') return ''
  if (typeof value === 'string' && /^(\/[A-Za-z0-9._~-]+)+$/.test(value)) return value
  refuse('basePath', value, 'must be empty, or begin with "/" and not end with "/", as in "/shop"')
  return ''
}

/** The text becomes a part of documents, headers and policies: it has the characters of origins and paths only. */
function parseAssetPrefix(value: unknown, refuse: Refuse): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value.replace(/\/$/, '') : ''
  const isPrefix = /^(https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?)?(\/[A-Za-z0-9._~-]+)*$/.test(text)
  if (typeof value === 'string' && isPrefix && (text.startsWith('/') || text === '' || URL.canParse(text))) return text
  refuse(
    'assetPrefix',
    value,
    'must be an http(s) URL without query or hash, or a path, as in "https://cdn.example.org" or "/cdn"',
  )
  return ''
}

function parseBoolean(field: string, value: unknown, refuse: Refuse): boolean {
  if (value !== undefined && typeof value !== 'boolean') refuse(field, value, 'must be true or false')
  return value === true
}

function parsePlugins(value: unknown, refuse: Refuse): SiteConfig['plugins'] {
  if (value === undefined) return undefined
  // The cast: the result is checked when the function is called.
  if (typeof value === 'function') return value as NonNullable<SiteConfig['plugins']>
  refuse('plugins', value, 'must be a function: plugins: ({ bundle, dev }) => [somePlugin()]')
  return undefined
}

function parseExtensions(value: unknown, refuse: Refuse): string[] | undefined {
  if (value === undefined) return undefined
  const isEnding = (item: unknown): item is string =>
    typeof item === 'string' && /^([\w-]+\.)*([jt]sx?|mdx)$/.test(item)
  if (Array.isArray(value) && value.length > 0 && value.every(isEnding)) return value
  refuse('pageExtensions', value, 'must be a list of endings such as "page.tsx", of js, jsx, ts, tsx or mdx')
  return undefined
}

function parsePrerender(value: unknown, refuse: Refuse): SiteConfig['prerender'] {
  if (value === undefined || value === 'start' || value === 'build') return value ?? 'start'
  refuse('prerender', value, "must be 'build' or 'start'")
  return 'start'
}

function parseSourceMaps(value: unknown, refuse: Refuse): SiteConfig['sourceMaps'] {
  if (value === undefined || value === 'hidden' || value === 'public' || value === false) return value ?? 'hidden'
  refuse('sourceMaps', value, "must be 'hidden', 'public' or false")
  return 'hidden'
}

/** A package is in one list only, as in Next.js. */
function parsePackages(
  value: Record<string, unknown>,
  refuse: Refuse,
): Pick<SiteConfig, 'serverExternalPackages' | 'transpilePackages'> {
  const serverExternalPackages = parseStrings('serverExternalPackages', value.serverExternalPackages, refuse)
  const transpilePackages = parseStrings('transpilePackages', value.transpilePackages, refuse)
  const both = transpilePackages.filter((name) => serverExternalPackages.includes(name))
  if (both.length > 0)
    refuse('transpilePackages', both.join(', '), 'must not name a package that serverExternalPackages names')
  return { serverExternalPackages, transpilePackages }
}

function parseStrings(field: string, value: unknown, refuse: Refuse): string[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  refuse(field, value, 'must be a list of strings')
  return []
}
