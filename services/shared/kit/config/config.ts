// Typed readers of environment variables. All faults are reported together, each with name, value and rule.

import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DATA_FOLDER } from '../../wire/constants.ts'
import { nearestName } from '../../wire/nearest-name.ts'
import { SAMPLERS, type TracingConfig } from '../observe/tracer.ts'
import { FROM_STACK, type FromStack, parseFromStack } from './from-stack.ts'
import { SETTINGS, type Setting, type SettingName } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const SECRETS: ReadonlySet<string> = new Set<SettingName>([
  'ACTION_KEYS',
  'STACK_TOKEN',
  'CACHE_REDIS_URL',
  'STATE_REDIS_URL',
  // Addresses of webhooks have tokens in their query.
  'CDN_PURGE_URL',
  'CDN_PURGE_AUTHORIZATION',
])

/** The environment for a program that serves no request, such as a build. */
export function withoutSecrets(environment: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.has(name)))
}

/** Exit code of a service that rejects its settings (EX_CONFIG of sysexits.h): a restart cannot fix the settings. */
export const BAD_SETTINGS_CODE = 78

export interface ConfigFault {
  name: string
  value: string | undefined
  rule: string
}

/** All faults of the environment; the message has one line per fault. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly faults: readonly ConfigFault[]
  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(faultText).join('\n'))
    this.faults = faults
  }
}

function faultText({ name, value, rule }: ConfigFault): string {
  return `${name}${value ? `=${JSON.stringify(value)}` : ' is not set'}: must be ${rule}`
}

/**
 * Each method reads one variable; after a bad value the reader notes a fault and returns the fallback. A fallback is
 * given only where it depends on the machine or on other settings; all others are those of the list of settings.
 */
export interface Reader {
  /** What the stack that started this process decides. */
  readonly stack: FromStack
  text(name: SettingName, fallback?: string): string
  optionalText(name: SettingName, minLength?: number): string | undefined
  port(name: SettingName): number
  url(name: SettingName): URL
  /** http URLs with commas between them, at least one. */
  urls(name: SettingName): URL[]
  optionalUrl(name: SettingName, protocols: readonly string[]): URL | undefined
  list(name: SettingName): string[]
  /** http and https origins with commas between them, each as `URL.origin` writes it. */
  origins(name: SettingName): string[]
  integer(name: SettingName, least: number, most: number, fallback?: number): number
  oneOf<T extends string>(name: SettingName, values: readonly T[], fallback?: T): T
  /** The text of the file that the variable names, without the line break at its end. */
  secretFile(name: SettingName): string | undefined
  /** Adds a fault that the caller found; `shown` is what a message may contain of a secret value. */
  refuse(name: SettingName, rule?: string, shown?: string): void
}

/**
 * Builds a frozen configuration. Throws ConfigError with all faults. `warn` receives a message for each variable whose
 * name differs by one or two letters from a setting.
 */
export function readConfig<T extends object>(
  environment: Environment,
  build: (read: Reader) => T,
  warn: (message: string) => void = () => {},
): Readonly<T> {
  const faults: ConfigFault[] = []
  const config = build(createReader(environment, faults))
  for (const message of nearNames(Object.keys(environment))) warn(message)
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(config)
}

function createReader(environment: Environment, faults: ConfigFault[]): Reader {
  const given = (name: SettingName): string | undefined => {
    const value = environment[name]?.trim()
    return value === '' ? undefined : value
  }
  const refuse = (name: SettingName, rule: string = SETTINGS[name].rule, shown?: string) => {
    // SECURITY: a rejected secret must not be written to a log.
    const isSecret = SECRETS.has(name)
    const value = environment[name]
    faults.push({ name, value: isSecret && value ? (shown ?? `(${value.length} characters)`) : value, rule })
  }
  const integer = (name: SettingName, least: number, most: number, fallback = Number(literalDefault(name))): number => {
    const value = given(name)
    if (value === undefined) return fallback
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    refuse(name)
    return fallback
  }
  const optionalUrl = (name: SettingName, protocols: readonly string[]): URL | undefined => {
    const value = given(name)
    if (value === undefined) return undefined
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (url && protocols.includes(url.protocol)) return url
    refuse(name)
    return undefined
  }
  const list = (name: SettingName): string[] =>
    (given(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  const readStack = (): FromStack => {
    const value = environment[FROM_STACK]
    try {
      return parseFromStack(value)
    } catch {
      faults.push({ name: FROM_STACK, value, rule: 'left to portico start, which writes it' })
      return {}
    }
  }
  return {
    stack: readStack(),
    refuse,
    optionalUrl,
    text: (name, fallback) => given(name) ?? fallback ?? literalDefault(name),
    optionalText(name, minLength = 1) {
      const value = given(name)
      if (value !== undefined && value.length < minLength) refuse(name)
      return value
    },
    port: (name) => integer(name, 0, 65_535),
    integer,
    url: (name) => optionalUrl(name, ['http:']) ?? new URL(literalDefault(name)),
    urls(name) {
      const texts = list(name)
      if (texts.length === 0) return [new URL(literalDefault(name))]
      const urls = texts.map(parseHttpUrl)
      if (urls.includes(undefined)) refuse(name)
      return urls.filter((url) => url !== undefined)
    },
    list,
    origins(name) {
      const origins = list(name).map(parseOrigin)
      if (origins.includes(undefined)) refuse(name)
      return origins.filter((origin) => origin !== undefined)
    },
    oneOf<T extends string>(name: SettingName, values: readonly T[], fallback = literalDefault(name) as T) {
      const value = given(name)
      if (value === undefined) return fallback
      const known = values.find((candidate) => candidate === value)
      if (known === undefined) refuse(name)
      return known ?? fallback
    },
    secretFile(name) {
      const file = given(name)
      const text = file && readText(file)
      if (text === '') refuse(name)
      return text || undefined
    },
  }
}

/** The fallback in the list of settings, where the list has a value and no description of one. */
function literalDefault(name: SettingName): string {
  const setting: Setting = SETTINGS[name]
  if (setting.fallback === undefined) throw new Error(`${name} has no default in the list of settings`)
  return setting.fallback
}

function parseHttpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'http:' ? url : undefined
}

/** The origin that a text is, in lower case and without a default port; undefined for other texts. */
function parseOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isBare = url?.pathname === '/' && url.search === '' && !text.endsWith('/')
  return url && isBare && /^https?:$/.test(url.protocol) ? url.origin : undefined
}

/** The text of a file; empty with a fault that names the file when the file cannot be read. */
function readText(file: string): string {
  try {
    // The shell that gives Redis the hash strips line breaks in the same way.
    return readFileSync(file, 'utf8').replace(/\n+$/, '')
  } catch {
    return ''
  }
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** Settings of every service. */
export function readCommon(read: Reader) {
  const host = read.text('HOST')
  return {
    host,
    port: read.port('PORT'),
    innerHost: read.stack.innerHost ?? host,
    innerPort: read.port('INNER_PORT'),
    maxConnections: read.integer('MAX_CONNECTIONS', 16, 1_000_000),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS),
    appDir: readAppDir(read),
    ...readDevelopment(read),
    ...readDrain(read),
    tracing: readTracing(read),
  }
}

/** `devFeedUrl`: the inner port of the renderer, which serves the sources of the app folder; undefined in production. */
function readDevelopment({ stack }: Reader) {
  const isDevelopment = stack.isDevelopment === true
  const [renderer] = (isDevelopment && stack.innerUrls?.renderer) || []
  return { isDevelopment, devFeedUrl: renderer === undefined ? undefined : new URL(renderer) }
}

/**
 * How a service stops. A delay as long as the deadline would leave no time for running requests and cut off responses.
 */
export function readDrain(read: Reader, fallbackDelayMs?: number) {
  const drainDelayMs = read.integer('DRAIN_DELAY_MS', 0, 60_000, fallbackDelayMs)
  const drainDeadlineMs = read.integer('DRAIN_DEADLINE_MS', 1000, 600_000)
  if (drainDelayMs >= drainDeadlineMs) read.refuse('DRAIN_DELAY_MS')
  return { drainDelayMs, drainDeadlineMs }
}

/** Variables of OpenTelemetry's specification; the exporter reads the variables for the destination of spans itself. */
function readTracing(read: Reader): TracingConfig {
  const endpoint = read.optionalUrl('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'])
  const exporter = read.oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none'], endpoint ? 'otlp' : 'none')
  const sampledRatio = Number(read.text('OTEL_TRACES_SAMPLER_ARG'))
  if (!(sampledRatio >= 0 && sampledRatio <= 1)) read.refuse('OTEL_TRACES_SAMPLER_ARG')
  return {
    isOn: exporter === 'otlp',
    sampler: read.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS),
    sampledRatio,
    exportDelayMs: read.integer('OTEL_BSP_SCHEDULE_DELAY', 0, 600_000),
  }
}

export type CommonConfig = ReturnType<typeof readCommon>

export interface Folders {
  appDir: string
  dataDir: string
  cacheDir: string
}

/** The folders of a site's data and caches. By default both are in the app folder: no two sites share records or keys. */
export function readFolders(read: Reader): Folders {
  const dataDir = readDataDir(read)
  return { appDir: readAppDir(read), dataDir, cacheDir: resolve(read.text('CACHE_DIR', join(dataDir, 'cache'))) }
}

/** The folder of data alone, for a service that keeps no cache on disk. */
export function readDataDir(read: Reader): string {
  return resolve(read.text('DATA_DIR', join(readAppDir(read), DATA_FOLDER)))
}

function readAppDir(read: Reader): string {
  const named = resolve(read.text('APP_DIR'))
  // Modules are compared with the folder of the build, which has no symbolic links either.
  return existsSync(named) ? realpathSync(named) : named
}

/** A message for each name that differs by one or two letters from a setting. */
export function nearNames(names: readonly string[]): string[] {
  const known = Object.keys(SETTINGS)
  return names.flatMap((name) => {
    if (name in SETTINGS || name.length < 6) return []
    const near = nearestName(name, known)
    return near ? [`the environment has ${name}; did you mean ${near}?`] : []
  })
}
