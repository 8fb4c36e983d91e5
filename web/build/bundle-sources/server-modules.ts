// Which modules are server code: they belong in no browser bundle (F2).

import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { hasUseServer } from '../folder/folder.ts'
import { isShared, RUNTIME_FILES, runtimeModule } from '../framework-files.ts'
import type { ModeSettings } from '../mode.ts'
import { findInstalled, parseJsonObject } from '../package-json.ts'
import { appRelative, importsBare, isScript, parseModule } from '../source/source.ts'

/** Marks a module as server code by an import without names. Resolved without installation. */
export const SERVER_ONLY = 'server-only'
/** Marks a module as browser code. Pages are rendered on the server too, so every bundle accepts the import. */
export const CLIENT_ONLY = 'client-only'

const PACKAGE = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/s

export function isInPackage(path: string): boolean {
  return PACKAGE.test(path)
}

/** Whether a file is what development has bundled of a package in advance: below the folder of the site, and of any size. */
export function isBundledPackage(path: string): boolean {
  return /[\\/]vite[\\/]deps[\\/]/.test(path)
}

/** Whether a file is a module of the site: of no package, and not of the framework. */
export function isSiteModule(path: string): boolean {
  return isScript(path) && !isInPackage(path) && !isBundledPackage(path) && !isShared(path)
}

/** Name of the package that contains a file; undefined for a file of the site. */
export function packageOf(path: string): string | undefined {
  return PACKAGE.exec(path)?.[2]?.replace('\\', '/')
}

/** Modules of the framework for server code, by file. */
const SERVER_NAMES: ReadonlyMap<string, string> = new Map([
  [RUNTIME_FILES.server, 'portico/server'],
  [runtimeModule('next/server.ts'), 'next/server'],
  [runtimeModule('next/og.ts'), 'next/og'],
])

/** Specifiers that declare every importer to be server code: the build refuses them in packages too. */
export function isMarker(source: string): boolean {
  return source === SERVER_ONLY || source === 'portico/server'
}

/** Node's own modules and files of native bindings. */
export function isNodeSpecifier(source: string): boolean {
  return isBuiltin(source) || source.endsWith('.node')
}

export type ServerNames = Pick<ModeSettings, 'hasServerNames'>

/**
 * Whether a file of the site is server code: its folder, its name or an `import 'server-only'` says so. A 'use server'
 * module is not: the browser gets references. SECURITY: outside of the app folder no module is replaced by references,
 * so that the browser would get the functions of a 'use server' module.
 */
export function isServerFile(appDir: string, path: string, { hasServerNames }: ServerNames): boolean {
  if (SERVER_NAMES.has(path)) return true
  if (isInPackage(path)) return false
  const file = appRelative(appDir, path)
  const isNamed = hasServerNames && (file.startsWith('server/') || /\.server\.[cm]?[jt]sx?$/.test(file))
  if (!isScript(path) || !existsSync(path)) return isNamed
  const code = readFileSync(path, 'utf8')
  if (hasUseServer(code, file)) return file.startsWith('../')
  return isNamed || (code.includes(SERVER_ONLY) && importsBare(parseModule(code, path), SERVER_ONLY))
}

/** Dependencies that build or load a native binding. */
const BINDING_PACKAGES = [
  'bindings',
  'node-addon-api',
  'node-gyp-build',
  'node-pre-gyp',
  '@mapbox/node-pre-gyp',
  'prebuild-install',
  'nan',
]

/** Whether a specifier means a package that has a native binding and no form for browsers. */
export function isNativePackage(specifier: string, importer: string): boolean {
  const name = /^(@[^/]+\/)?[^./@][^/]*/.exec(specifier)?.[0]
  const folder = name && findInstalled(name, dirname(importer))
  return folder !== undefined && folder !== '' && hasBinding(folder)
}

/** Whether the `browser` field of the importer's package.json leaves a module out: `"browser": { "fs": false }`. */
export function isLeftOut(appDir: string, importer: string, specifier: string): boolean {
  const browser = readPackage(PACKAGE.exec(importer)?.[1] ?? appDir)?.browser
  return isRecord(browser) && browser[specifier] === false
}

function readPackage(folder: string): Record<string, unknown> | undefined {
  const file = join(folder, 'package.json')
  return existsSync(file) ? parseJsonObject(readFileSync(file, 'utf8'), file) : undefined
}

function hasBinding(folder: string): boolean {
  const data = readPackage(folder)
  if (!data || data.browser !== undefined || hasBrowserCondition(data.exports)) return false
  if (data.gypfile === true || data.binary !== undefined || data.napi !== undefined) return true
  if (existsSync(join(folder, 'binding.gyp'))) return true
  const { name, dependencies, optionalDependencies } = data
  // Prebuilt bindings are packages of their own, one for each platform: `@img/sharp-linux-x64` of `sharp`.
  const isBinding = (other: string) => [`${name}-linux-`, `@${name}/linux-`].some((part) => other.includes(part))
  return (
    keysOf(optionalDependencies).some(isBinding) ||
    keysOf(dependencies).some((other) => BINDING_PACKAGES.includes(other))
  )
}

function keysOf(value: unknown): string[] {
  return isRecord(value) ? Object.keys(value) : []
}

function hasBrowserCondition(exports: unknown): boolean {
  return (
    isRecord(exports) && Object.entries(exports).some(([key, value]) => key === 'browser' || hasBrowserCondition(value))
  )
}

/** The name of a module in messages: app-relative, or the path in its package. */
export function labelOf(appDir: string, path: string): string {
  const own = SERVER_NAMES.get(path)
  if (own !== undefined) return own
  const folder = PACKAGE.exec(path)?.[1]
  return folder === undefined ? appRelative(appDir, path) : `${packageOf(path)}${path.slice(folder.length)}`
}
