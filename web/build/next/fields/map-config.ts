// Maps the fields of next.config.* to those of portico.config.*, and to settings that only this mode has (X4).

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { originsOf } from '../../config/config.ts'
import type { ModeReport } from '../../mode.ts'
import { isDefault } from '../run/default-config.ts'
import { notDataIn } from '../run/plain-config.ts'
import { HARMLESS, REFUSED, REFUSED_VALUES } from './config-fields.ts'
import { HARMLESS_EXPERIMENTAL, REFUSED_EXPERIMENTAL } from './experimental-fields.ts'
import { mapCompiler } from './map-compiler.ts'
import { mapImages } from './map-images.ts'
import { mapSass } from './map-sass.ts'
import { mapTurbopack } from './map-turbopack.ts'
import { isName, type MappedConfig, type Mapping, mustBe } from './mapping.ts'
import { nextDefaults } from './next-defaults.ts'

type Mapper = (value: unknown, mapping: Mapping) => void

/** Maps the config, and adds a line to the report for every field that is set. */
export function mapNextConfig(value: Record<string, unknown>, report: ModeReport): MappedConfig {
  const mapping: Mapping = { site: {}, settings: nextDefaults(), report }
  for (const [name, member] of Object.entries(value)) {
    if (isDefault(name, member)) continue
    if (DATA.includes(name)) refuseNotData(name, member, report)
    const map = Object.hasOwn(MAPPERS, name) ? MAPPERS[name] : undefined
    if (name === 'webpack' && isRecord(value.turbopack)) report.ignored.push({ field: name, note: BY_TURBOPACK })
    else if (map) map(member, mapping)
    else mapOther(name, member, mapping)
  }
  return { site: mapping.site, settings: mapping.settings }
}

const BY_TURBOPACK = 'Next.js 16 builds with Turbopack, whose field is read'

/** Fields whose values reach bundles, or the options of another program, as they are. */
const DATA: readonly string[] = ['publicRuntimeConfig', 'serverRuntimeConfig', 'sassOptions', 'compiler']

/** The config runs in its own process, and functions do not leave it. */
function refuseNotData(name: string, value: unknown, { refused }: ModeReport): void {
  for (const { path, what } of notDataIn(value, name))
    refused.push({
      field: path,
      rule: `is ${what}, which is no data`,
      remedy: 'write text, numbers, lists and objects',
    })
}

function mapOther(name: string, value: unknown, { report }: Mapping): void {
  const single = Object.hasOwn(REFUSED_VALUES, name) ? REFUSED_VALUES[name] : undefined
  const refusal = Object.hasOwn(REFUSED, name) ? REFUSED[name] : single?.values.includes(value) ? single : undefined
  if (refusal) report.refused.push({ field: name, rule: refusal.rule, remedy: refusal.remedy })
  else if (single) report.ignored.push({ field: name, note: `${JSON.stringify(value)} is how every build is` })
  else if (Object.hasOwn(HARMLESS, name)) report.ignored.push({ field: name, note: HARMLESS[name]! })
  else
    report.refused.push({
      field: name,
      rule: 'is not a field that Portico knows',
      remedy: 'remove it, or what adds it to the config',
    })
}

/** Fields that portico.config.* has with the same meaning; its parser checks the values. */
const same =
  (name: string): Mapper =>
  (value, { site, report }) => {
    site[name] = value
    const count = Array.isArray(value) ? value.length : undefined
    report.mapped.push({ field: name, note: count === undefined ? '' : `${count} ${count === 1 ? 'rule' : 'rules'}` })
  }

/** A rule with both has the status of `statusCode`, as in Next.js. */
function mapRedirects(value: unknown, mapping: Mapping): void {
  const statusOnly = (rule: unknown) => {
    if (!isRecord(rule) || !rule.statusCode || typeof rule.permanent !== 'boolean') return rule
    const { permanent: _lost, ...rest } = rule
    return rest
  }
  same('redirects')(Array.isArray(value) ? value.map(statusOnly) : value, mapping)
}

/** Credentials pass to other hosts in Next.js: the report names every host to which they pass no more. */
function mapRewrites(value: unknown, mapping: Mapping): void {
  same('rewrites')(value, mapping)
  const rules: unknown[] = isRecord(value) ? Object.values(value).flat() : [value].flat()
  const destinations = rules.flatMap((rule) => (isRecord(rule) && typeof rule.destination === 'string' ? [rule] : []))
  // The parser of the site's config checks the rules; a destination is a text here.
  for (const origin of originsOf(destinations as { destination: string }[]))
    mapping.report.mapped.push({
      field: `rewrites to ${origin}`,
      note: 'only the cookies, and Authorization, that rewriteOrigins of portico.config.* names pass',
    })
}

/** Seconds of a day: a longer time is a mistake, and more than a timer of Node can wait. */
const LONGEST_PAGE_SECONDS = 86_400

const MAPPERS: Readonly<Record<string, Mapper>> = {
  basePath: same('basePath'),
  trailingSlash: same('trailingSlash'),
  redirects: mapRedirects,
  rewrites: mapRewrites,
  headers: same('headers'),
  images: mapImages,
  compiler: mapCompiler,
  env: mapEnv,
  experimental: mapExperimental,
  turbopack: (value, mapping) => mapTurbopack('turbopack', value, mapping),
  assetPrefix: mapAssetPrefix,
  serverExternalPackages: (value, mapping) => addPackages('serverExternalPackages', value, mapping),
  transpilePackages: (value, mapping) => addPackages('transpilePackages', value, mapping),
  pageExtensions(value, { settings, report }) {
    if (Array.isArray(value) && value.length > 0 && value.every((item) => /^[\w-]+(\.[\w-]+)*$/.test(String(item)))) {
      settings.pageExtensions = value.map(String)
      report.mapped.push({ field: 'pageExtensions', note: settings.pageExtensions.join(', ') })
      const others = settings.pageExtensions.filter((ending) => !/(^|\.)([jt]sx?|mdx?)$/.test(ending))
      if (others.length > 0)
        report.ignored.push({ field: `pageExtensions: ${others.join(', ')}`, note: 'such a file is no page' })
    } else report.refused.push(mustBe('pageExtensions', value, 'a list of endings without the first dot'))
  },
  i18n: mapI18n,
  poweredByHeader(value, { report }) {
    const lines = value === false ? report.mapped : report.ignored
    lines.push({ field: 'poweredByHeader', note: 'no response has X-Powered-By' })
  },
  reactStrictMode(value, { settings, report }) {
    if (typeof value !== 'boolean') return void report.refused.push(mustBe('reactStrictMode', value, 'true or false'))
    settings.reactStrictMode = value === true
    report.mapped.push({ field: 'reactStrictMode', note: value === true ? 'during development' : 'off' })
  },
  staticPageGenerationTimeout(value, { settings, report }) {
    const field = 'staticPageGenerationTimeout'
    if (typeof value !== 'number' || !(value > 0 && value <= LONGEST_PAGE_SECONDS))
      return void report.refused.push(
        mustBe(field, value, `a number of seconds above 0, at most ${LONGEST_PAGE_SECONDS}`),
      )
    settings.pageLimitMs = value * 1000
    report.mapped.push({ field, note: `${value} s for each page that the build renders` })
  },
  productionBrowserSourceMaps(value, { site, report }) {
    const field = 'productionBrowserSourceMaps'
    if (typeof value !== 'boolean') return void report.refused.push(mustBe(field, value, 'true or false'))
    site.sourceMaps = 'public'
    report.mapped.push({ field, note: 'every client can read the sources' })
  },
  publicRuntimeConfig: (value, mapping) => mapRuntimeConfig('public', value, mapping),
  serverRuntimeConfig: (value, mapping) => mapRuntimeConfig('server', value, mapping),
  sassOptions: mapSass,
  typescript(value, { settings, report }) {
    const path = isRecord(value) ? value.tsconfigPath : undefined
    if (typeof path !== 'string') return void report.ignored.push({ field: 'typescript', note: HARMLESS.typescript! })
    settings.tsconfig = path
    report.mapped.push({ field: 'typescript.tsconfigPath', note: 'its paths and baseUrl' })
  },
}

/** The fields that are mapped, or refused by their value. */
export const MAPPED_FIELDS: readonly string[] = Object.keys(MAPPERS)

/** Next.js accepts the same names. */
const RESERVED = /^(__|NODE_)|^NEXT_RUNTIME$/

function mapEnv(value: unknown, { settings, report }: Mapping): void {
  if (!isRecord(value)) return void report.refused.push(mustBe('env', value, 'an object'))
  const names: string[] = []
  for (const [name, text] of Object.entries(value)) {
    if (text === undefined || text === null) continue
    if (RESERVED.test(name))
      report.refused.push({ field: `env.${name}`, rule: 'is a reserved name', remedy: 'use another name' })
    else if (!isName(name))
      report.refused.push({ field: `env.${name}`, rule: 'is no name that code reads', remedy: 'use another name' })
    // SECURITY: the value may be a secret; the report does not repeat it.
    else if (typeof text === 'object')
      report.refused.push({ field: `env.${name}`, rule: 'must be text', remedy: 'correct or remove it' })
    else {
      settings.defines[`process.env.${name}`] = JSON.stringify(text)
      names.push(name)
    }
  }
  if (names.length > 0) report.mapped.push({ field: 'env', note: `inlined in all bundles: ${names.join(', ')}` })
}

function mapRuntimeConfig(side: 'public' | 'server', value: unknown, { settings, report }: Mapping): void {
  const field = `${side}RuntimeConfig`
  if (!isRecord(value)) return void report.refused.push(mustBe(field, value, 'an object'))
  settings.runtimeConfig = { public: {}, server: {}, ...settings.runtimeConfig, [side]: value }
  report.mapped.push({ field, note: `inlined at build${side === 'server' ? ', in the bundles of the server' : ''}` })
}

function mapAssetPrefix(value: unknown, { site, report }: Mapping): void {
  site.assetPrefix = value
  report.mapped.push({ field: 'assetPrefix', note: 'in builds; development serves files from its own origin' })
}

function addPackages(field: string, value: unknown, { site, report }: Mapping): void {
  if (!Array.isArray(value)) return void report.refused.push(mustBe(field, value, 'a list of packages'))
  const name = field === 'transpilePackages' ? field : 'serverExternalPackages'
  const known = Array.isArray(site[name]) ? site[name] : []
  site[name] = [...new Set([...known, ...value])]
  const note = field === name ? value.join(', ') : `as ${name}`
  report.mapped.push({ field, note })
}

function mapExperimental(value: unknown, mapping: Mapping): void {
  const { report } = mapping
  if (!isRecord(value)) return void report.refused.push(mustBe('experimental', value, 'an object'))
  for (const [name, member] of Object.entries(value)) {
    const field = `experimental.${name}`
    if (member === undefined || member === null || (member === false && name !== 'fallbackNodePolyfills')) continue
    if (name === 'fallbackNodePolyfills') mapNodeModules(field, member, mapping)
    else if (name === 'serverComponentsExternalPackages') addPackages(field, member, mapping)
    else if (name === 'turbo') mapTurbopack(field, member, mapping)
    else if (name === 'caseSensitiveRoutes') mapLetterCase(field, member, mapping)
    else if (name === 'runtime') report.mapped.push({ field, note: 'runs on Node' })
    else if (Object.hasOwn(REFUSED_EXPERIMENTAL, name)) report.refused.push({ field, ...REFUSED_EXPERIMENTAL[name]! })
    else report.ignored.push({ field, note: HARMLESS_EXPERIMENTAL.get(name) ?? 'Portico does not know it' })
  }
}

function mapLetterCase(field: string, value: unknown, { settings, report }: Mapping): void {
  if (value !== true) return void report.refused.push(mustBe(field, value, 'true or false'))
  settings.caseSensitiveRoutes = true
  report.mapped.push({ field, note: 'rules distinguish upper and lower case' })
}

function mapNodeModules(field: string, value: unknown, { settings, report }: Mapping): void {
  if (value === false) settings.nodeModules = false
  const note = value === false ? 'modules of Node are refused in browsers' : 'is how every build is'
  report[value === false ? 'mapped' : 'ignored'].push({ field, note })
}

/** The parser of the site's config checks the values; domains are refused here, where the report has the remedy. */
function mapI18n(value: unknown, { site, report }: Mapping): void {
  if (isRecord(value) && value.domains !== undefined) {
    report.refused.push({ field: 'i18n.domains', ...DOMAINS })
    return
  }
  const { locales, defaultLocale } = isRecord(value) ? value : {}
  const others = isRecord(value) ? Object.keys(value).filter((name) => !I18N.includes(name)) : []
  for (const name of others)
    report.ignored.push({ field: `i18n.${name}`, note: 'is for other programs, such as next-i18next' })
  site.i18n = isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => I18N.includes(name)))
    : value
  const list = Array.isArray(locales) ? locales.join(', ') : ''
  report.mapped.push({ field: 'i18n', note: `locales ${list}; paths of ${String(defaultLocale)} have no prefix` })
}

const I18N: readonly string[] = ['locales', 'defaultLocale', 'localeDetection']
const DOMAINS = {
  rule: 'the host does not decide the locale',
  remedy: 'remove the field, and serve each domain as a site with its own defaultLocale',
}
