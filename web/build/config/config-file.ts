// Loads portico.config.ts and checks it. One error lists every fault with field, value and rule (R7).

import { join, resolve } from 'node:path'
import { runnerImport } from 'vite'
import type {
  HeaderRule,
  ImageSettings,
  PublicEnvRule,
  RedirectRule,
  RewriteRule,
} from '../../../services/shared/wire/build-output.ts'
import { compilePattern, type HasCondition, patternNames } from '../../../services/shared/wire/path-patterns.ts'
import { BuildError } from '../folder/app-folder.ts'
import { readableError } from '../readable-error.ts'
import { DEFAULT_IMAGES, readImages } from './image-settings.ts'
import { readPublicEnv } from './public-env.ts'

export interface SiteConfig {
  basePath: string
  trailingSlash: boolean
  redirects: RedirectRule[]
  rewrites: RewriteRule[]
  headers: HeaderRule[]
  images: ImageSettings
  publicEnv: Record<string, PublicEnvRule>
  serverExternalPackages: string[]
}

/** Adds a fault; `field` is a path such as `redirects[0].source`. */
export type Refuse = (field: string, value: unknown, rule: string) => void

const REPLACEMENTS: Readonly<Record<string, string>> = {
  i18n: 'is not supported; use a first path segment, as in pages/[language]/…',
  middleware: 'is not supported; use redirects, rewrites and headers',
  env: 'is not supported; use publicEnv for values that the browser reads, process.env on the server',
  output: 'is not supported; every build can be moved to another machine',
}
const KNOWN = [
  'basePath',
  'trailingSlash',
  'redirects',
  'rewrites',
  'headers',
  'images',
  'publicEnv',
  'serverExternalPackages',
]

/**
 * Runs the config file with `portico/config` resolved to this framework, and checks its default export. `onFiles`
 * receives the absolute paths of the config file and of the files that it imports.
 */
export async function loadSiteConfig(
  appDir: string,
  file: string | undefined,
  configModule: string,
  onFiles: (files: string[]) => void = () => {},
): Promise<SiteConfig> {
  if (!file) return parseSiteConfig({})
  const { module, dependencies } = await runnerImport<{ default?: unknown }>(join(appDir, file), {
    configFile: false,
    root: appDir,
    logLevel: 'error',
    resolve: { alias: { 'portico/config': configModule }, tsconfigPaths: true },
  }).catch((cause: unknown) => {
    throw new BuildError(`${file}: could not be loaded: ${readableError(cause, appDir).message}`, { cause })
  })
  onFiles([join(appDir, file), ...dependencies.map((path) => resolve(appDir, path))])
  const value = typeof module.default === 'function' ? await (module.default as () => unknown)() : module.default
  if (value === undefined)
    throw new BuildError(`${file}: must have a default export: export default defineConfig({ … })`)
  return parseSiteConfig(await resolveFunctions(value), file)
}

/** Calls redirects, rewrites and headers where they are functions, as in the Pages Router. */
async function resolveFunctions(value: unknown): Promise<unknown> {
  if (!isRecord(value)) return value
  const resolved: Record<string, unknown> = { ...value }
  for (const name of ['redirects', 'rewrites', 'headers']) {
    const member = resolved[name]
    if (typeof member === 'function') resolved[name] = await (member as () => unknown)()
  }
  return resolved
}

/** Checks a config and fills in defaults. Throws BuildError with one line per fault. */
export function parseSiteConfig(value: unknown, file = 'portico.config.ts'): SiteConfig {
  const faults: string[] = []
  const refuse: Refuse = (field, bad, rule) =>
    faults.push(`${file}: ${field} = ${JSON.stringify(bad) ?? String(bad)}: ${rule}`)
  if (!isRecord(value)) throw new BuildError(`${file}: must export an object`)
  for (const name of Object.keys(value))
    if (Object.hasOwn(REPLACEMENTS, name)) refuse(name, value[name], REPLACEMENTS[name]!)
    else if (!KNOWN.includes(name)) refuse(name, value[name], `is not a setting; known: ${KNOWN.join(', ')}`)
  const config: SiteConfig = {
    basePath: readBasePath(value.basePath, refuse),
    trailingSlash: readBoolean('trailingSlash', value.trailingSlash, false, refuse),
    redirects: readRules('redirects', value.redirects, refuse, readRedirect),
    rewrites: readRules('rewrites', value.rewrites, refuse, readRewrite),
    headers: readRules('headers', value.headers, refuse, readHeaders),
    images: value.images === undefined ? DEFAULT_IMAGES : readImages(value.images, refuse),
    publicEnv: readPublicEnv(value.publicEnv, refuse),
    serverExternalPackages: readStrings('serverExternalPackages', value.serverExternalPackages, refuse),
  }
  if (faults.length > 0) throw new BuildError(faults.join('\n'))
  return config
}

function readBasePath(value: unknown, refuse: Refuse): string {
  if (value === undefined || value === '') return ''
  if (typeof value === 'string' && /^(\/[A-Za-z0-9._~-]+)+$/.test(value)) return value
  refuse('basePath', value, 'must be empty, or begin with "/" and not end with "/", as in "/shop"')
  return ''
}

function readBoolean(field: string, value: unknown, fallback: boolean, refuse: Refuse): boolean {
  if (value === undefined) return fallback
  if (typeof value !== 'boolean') refuse(field, value, 'must be true or false')
  return value === true
}

function readStrings(field: string, value: unknown, refuse: Refuse): string[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  refuse(field, value, 'must be a list of strings')
  return []
}

type Rule = Record<string, unknown>

function readRules<T>(
  field: string,
  value: unknown,
  refuse: Refuse,
  read: (field: string, rule: Rule, refuse: Refuse) => T | undefined,
): T[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    refuse(field, value, 'must be a list')
    return []
  }
  return value.flatMap((rule: unknown, index) => {
    const name = `${field}[${index}]`
    if (isRecord(rule)) return read(name, rule, refuse) ?? []
    refuse(name, rule, 'must be an object')
    return []
  })
}

function readSource(
  field: string,
  rule: Rule,
  refuse: Refuse,
): { source: string; names: string[]; has?: HasCondition[] } | undefined {
  const has = readHas(`${field}.has`, rule.has, refuse)
  try {
    if (typeof rule.source !== 'string') throw new Error('must be a path pattern like "/old/:id"')
    return { source: rule.source, names: patternNames(compilePattern(rule.source)), ...(has && { has }) }
  } catch (error) {
    refuse(`${field}.source`, rule.source, (error as Error).message)
    return undefined
  }
}

function readHas(field: string, value: unknown, refuse: Refuse): HasCondition[] | undefined {
  if (value === undefined) return undefined
  const isCondition = (item: unknown) =>
    isRecord(item) &&
    ((item.type === 'host' && typeof item.value === 'string') ||
      (['header', 'cookie', 'query'].includes(String(item.type)) &&
        typeof item.key === 'string' &&
        ['string', 'undefined'].includes(typeof item.value)))
  // The cast repeats what isCondition checked.
  if (Array.isArray(value) && value.every(isCondition)) return value as HasCondition[]
  refuse(
    field,
    value,
    'must be a list of { type: "header" | "cookie" | "query", key, value? } or { type: "host", value }',
  )
  return undefined
}

function readDestination(
  field: string,
  rule: Rule,
  names: string[],
  refuse: Refuse,
  sameSite: boolean,
): string | undefined {
  const { destination } = rule
  const isPath = typeof destination === 'string' && destination.startsWith('/') && !/^\/[/\\]/.test(destination)
  // SECURITY: only the author decides the origin of a redirect; a value of the request in it would be an open redirect.
  const isUrl = typeof destination === 'string' && /^https?:\/\/[^/:]+(:\d+)?(\/|$)/.test(destination)
  if (!isPath && (sameSite || !isUrl)) {
    refuse(
      `${field}.destination`,
      destination,
      sameSite ? 'must be a path of this site' : 'must be a path beginning with one "/" or an http(s) URL',
    )
    return undefined
  }
  for (const [, name] of (destination as string).matchAll(/[/=]:([A-Za-z_][A-Za-z0-9_]*)/g))
    if (!names.includes(name!))
      refuse(`${field}.destination`, destination, `uses ":${name}", which source does not define`)
  return destination as string
}

function readRedirect(field: string, rule: Rule, refuse: Refuse): RedirectRule | undefined {
  const source = readSource(field, rule, refuse)
  if (!source) return undefined
  const destination = readDestination(field, rule, source.names, refuse, false)
  const { permanent, statusCode } = rule
  const status = typeof permanent === 'boolean' ? (permanent ? 308 : 307) : statusCode
  if ((permanent === undefined) === (statusCode === undefined) || ![301, 302, 303, 307, 308].includes(Number(status)))
    refuse(field, rule, 'must have either permanent (true or false) or statusCode (301, 302, 303, 307 or 308)')
  if (destination === undefined) return undefined
  return {
    source: source.source,
    destination,
    status: status as RedirectRule['status'],
    ...(source.has && { has: source.has }),
  }
}

function readRewrite(field: string, rule: Rule, refuse: Refuse): RewriteRule | undefined {
  const source = readSource(field, rule, refuse)
  if (!source) return undefined
  const destination = readDestination(field, rule, source.names, refuse, true)
  return destination === undefined
    ? undefined
    : { source: source.source, destination, ...(source.has && { has: source.has }) }
}

function readHeaders(field: string, rule: Rule, refuse: Refuse): HeaderRule | undefined {
  const source = readSource(field, rule, refuse)
  const isHeader = (item: unknown) =>
    isRecord(item) && /^[A-Za-z0-9-]+$/.test(String(item.key)) && isHeaderText(item.value)
  if (!Array.isArray(rule.headers) || !rule.headers.every(isHeader)) {
    refuse(
      `${field}.headers`,
      rule.headers,
      'must be a list of { key, value } with a header name and one line of Latin-1 text',
    )
    return undefined
  }
  const reserved = (rule.headers as { key: string }[]).find(({ key }) =>
    /^(portico-|content-length$|transfer-encoding$|connection$)/i.test(key),
  )
  if (reserved) refuse(`${field}.headers`, reserved.key, 'is set by Portico; use another header name')
  if (!source) return undefined
  return {
    source: source.source,
    headers: rule.headers as HeaderRule['headers'],
    ...(source.has && { has: source.has }),
  }
}

/** Whether Node accepts a header value; Node would throw on every request for any other. */
export function isHeaderText(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
