// The types that an app folder gets (F1, O8): compiler options for its tsconfig.json with the types of `portico` and React
// on this machine, and its paths for Link and the router with its values of the environment. Neither is found by `paths`:
// `paths` of the site would replace the inherited ones.

import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PublicEnvRule } from '@portico/shared/wire/build-output.ts'
import { parseTokens } from '@portico/shared/wire/patterns/pattern-tokens.ts'
import { parsePattern } from '@portico/shared/wire/routing/routes.ts'
import { adapterOf } from './active-adapter.ts'
import { errorCode } from './build-error.ts'
import type { SiteConfig } from './config/config.ts'
import { type AppFolder, locateAppFolder, publicPaths, readAppFolder } from './folder/folder.ts'
import { FRAMEWORK, packageFolder, RUNTIME_FILES } from './framework-files.ts'
import { loadSiteConfig } from './load-config.ts'
import { type ModeSettings, ownSettings } from './mode.ts'
import { adapter } from './registered-adapter.ts'
import { findNode, nameAt, parseModule } from './source/source.ts'

const TYPES = dirname(packageFolder('@types/react') ?? join(FRAMEWORK, 'node_modules/@types/react'))
/** Modules of React whose types are those of this repository, also in a site that has React or its types installed. */
const REACT_MODULES: Readonly<Record<string, string>> = {
  react: 'react/index.d.ts',
  'react/jsx-runtime': 'react/jsx-runtime.d.ts',
  'react/jsx-dev-runtime': 'react/jsx-dev-runtime.d.ts',
  'react/compiler-runtime': 'react/compiler-runtime.d.ts',
  'react-dom': 'react-dom/index.d.ts',
  'react-dom/client': 'react-dom/client.d.ts',
  'react-dom/server': 'react-dom/server.d.ts',
  'react-dom/static': 'react-dom/static.d.ts',
}
/** Package of `.portico/types` from which the ambient modules of React import: they cannot import by path. */
const REACT_PACKAGE = 'portico-react'

/**
 * Writes `.portico/tsconfig.json` and the packages of `.portico/types`. Call this before reading any source of the folder:
 * bundlers also read tsconfig.json.
 */
export async function writeCompilerOptions(appDir: string): Promise<void> {
  await writeChanged(join(appDir, '.portico/tsconfig.json'), `${JSON.stringify(COMPILER_OPTIONS, null, 2)}\n`)
  await writePackages(appDir, typePackages())
}

/** Writes the modules of a mode that is on into `.portico/types`. Call this when the mode was read. */
export async function writeModeTypes(appDir: string, mode: { on: boolean }): Promise<void> {
  await writePackages(appDir, adapterOf(mode)?.modules.types.write() ?? {})
}

async function writePackages(appDir: string, packages: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(packages)) await writeChanged(join(appDir, '.portico/types', name), text)
}

/** One line for each reason in the site's tsconfig.json why the compiler finds neither `portico` nor React. */
export async function lostTypes(appDir: string): Promise<string[]> {
  const file = join(appDir, 'tsconfig.json')
  if (!existsSync(file)) return []
  // JSON with comments is an expression.
  const [json] = parseModule(`(${await readFile(file, 'utf8')})`, 'tsconfig.ts')
  const has = (key: string) =>
    json && findNode(json, (node) => node.type === 'Property' && nameAt(node, 'key') === key) !== undefined
  const lost = 'so that the compiler finds neither portico nor the types of React'
  const remedies = [
    !has('extends') && `does not extend ./.portico/tsconfig.json, ${lost}: add "extends": "./.portico/tsconfig.json"`,
    has('typeRoots') &&
      `typeRoots replaces the inherited one, ${lost}: remove typeRoots, and list type packages in types`,
  ]
  return remedies.flatMap((remedy) => (remedy ? [`tsconfig.json: ${remedy}; see docs/types-and-ci.md`] : []))
}

/** Leaves an equal file untouched: editors and watchers would report a change. */
async function writeChanged(file: string, text: string): Promise<void> {
  if (existsSync(file) && (await readFile(file, 'utf8')) === text) return
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  } catch (error) {
    // The types serve the author's editor; a read-only folder is not edited.
    if (!['EACCES', 'EROFS', 'EPERM'].includes(errorCode(error) ?? '')) throw error
  }
}

/** The compiler options for an app folder anywhere on this machine. */
const COMPILER_OPTIONS = {
  compilerOptions: {
    target: 'es2024',
    module: 'preserve',
    moduleResolution: 'bundler',
    lib: ['es2024', 'esnext', 'dom', 'dom.iterable'],
    jsx: 'react-jsx',
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    // The compiler searches packages here that no node_modules has.
    typeRoots: ['./types', TYPES],
    types: [],
  },
  // The others have the site's types in compatibility mode; patterns find no folder that begins with a dot.
  include: ['../**/*', './portico-env.d.ts', ...(adapter ? [`./types/${adapter.modules.types.entry}`] : [])],
  exclude: ['../node_modules', '../dist'],
}

/** Declarations by their path in `.portico/types`. `portico/types` loads the ambient modules. */
function typePackages(): Record<string, string> {
  const all = (path: string) => `export * from ${JSON.stringify(path)}\n`
  const files: Record<string, string> = {
    'portico/index.d.ts': all(RUNTIME_FILES.index),
    'portico/server.d.ts': all(RUNTIME_FILES.server),
    'portico/config.d.ts': all(RUNTIME_FILES.config),
    'portico/testing.d.ts': all(RUNTIME_FILES.testing),
    'portico/testing/vitest.d.ts': all(RUNTIME_FILES.testingVitestTypes),
    'portico/types.d.ts': `/// <reference types="node" />
/// <reference path=${JSON.stringify(RUNTIME_FILES.types)} />
/// <reference path="../${REACT_PACKAGE}/index.d.ts" />
export {}
`,
  }
  let ambient = ''
  for (const [module, file] of Object.entries(REACT_MODULES)) {
    const source = `${REACT_PACKAGE}/${file.replace('.d.ts', '')}`
    // The types of React are one `export =`, which `export *` does not pass on.
    const isAssigned = module === 'react'
    files[`${source}.d.ts`] = isAssigned ? assigned(join(TYPES, file)) : all(join(TYPES, file))
    ambient += `declare module '${module}' {\n${isAssigned ? assigned(source) : all(source)}}\n`
  }
  files[`${REACT_PACKAGE}/index.d.ts`] = ambient
  return files
}

function assigned(from: string): string {
  return `import React = require(${JSON.stringify(from)})\nexport = React\n`
}

/** In the app folder; not for version control. */
export const TYPES_FILE = 'portico-env.d.ts'

type Mode = Pick<ModeSettings, 'on' | 'hasNodeGlobals'>

/** Reads a folder and writes its types, without a build. Throws BuildError or RouteConflictError. */
export async function updateSiteTypes(appDir: string): Promise<void> {
  const dir = await locateAppFolder(appDir)
  await writeCompilerOptions(dir)
  const { config, next } = await loadSiteConfig(dir)
  await writeModeTypes(dir, next)
  await writeSiteTypes(await readAppFolder(dir, { next }), config, next)
}

/** Writes `portico-env.d.ts` if the text changed: in compatibility mode to `.portico`, because the folder is not ours. */
export async function writeSiteTypes(folder: AppFolder, config: SiteConfig, mode: Mode): Promise<void> {
  const file = join(folder.dir, mode.on ? '.portico' : '', TYPES_FILE)
  await writeChanged(file, siteTypes(folder, config, await publicPaths(folder.dir), mode))
}

/** The text of `portico-env.d.ts`. */
export function siteTypes(
  folder: AppFolder,
  config: SiteConfig,
  publicFiles: readonly string[],
  mode: Mode = ownSettings(),
): string {
  const paths = new Set<string>()
  for (const { pattern } of [...folder.pages, ...folder.apiRoutes]) addPaths(paths, pattern.split('/').slice(1))
  const below = [...config.redirects, ...config.rewrites].filter(({ basePath }) => basePath !== false)
  for (const { source } of below) for (const path of patternPaths(source)) paths.add(path)
  if (config.trailingSlash) for (const path of [...paths]) if (path !== '/') paths.add(`${path}/`)
  for (const path of publicFiles) paths.add(literal(path))
  const lines = [...paths].sort().map((path) => `      | \`${path}\``)
  return `// The paths and values of this folder, written by Portico. Not for version control: each build rewrites it.

/// <reference path="${mode.on ? '.' : './.portico'}/types/portico/types.d.ts" />

export {}

declare module 'portico' {
  interface RouteTypes {
    path:
${lines.join('\n')}
  }
  interface ParamTypes ${paramTypes(folder)}
  interface PublicEnvTypes ${valueTypes(config.publicEnv)}
  interface EnvTypes ${valueTypes(config.env)}
}
${mode.hasNodeGlobals ? PROCESS_TYPES : ''}`
}

/** For code of browsers with the globals of Node. */
const PROCESS_TYPES = `
declare global {
  namespace NodeJS {
    interface Process {
      readonly browser: boolean
    }
  }
}
`

/** The names in the patterns of pages and handlers with the types of their values. */
function paramTypes({ pages, apiRoutes }: AppFolder): string {
  const types = new Map<string, Set<string>>()
  for (const { pattern } of [...pages, ...apiRoutes])
    for (const segment of parsePattern(pattern))
      if (segment.kind !== 'static')
        types.set(segment.name, (types.get(segment.name) ?? new Set()).add(PARAM_TYPES[segment.kind]))
  const lines = [...types].sort().map(([name, all]) => `    ${JSON.stringify(name)}: ${[...all].sort().join(' | ')}\n`)
  return lines.length > 0 ? `{\n${lines.join('')}  }` : '{}'
}

const PARAM_TYPES = {
  dynamic: 'string',
  'catch-all': 'string[]',
  'optional-catch-all': 'string[] | undefined',
} as const

/** A route's segments (`[id]`, `[...rest]`, `[[...rest]]`) as template literals. */
function addPaths(paths: Set<string>, segments: string[]): void {
  const last = segments.at(-1) ?? ''
  // An optional catch-all also matches the path without it.
  if (last.startsWith('[[...')) addPaths(paths, segments.slice(0, -1))
  const text = segments.map((segment) => literal(segment).replace(/\[.*\]/, ANY_TEXT))
  paths.add(`/${text.join('/')}`)
}

/** A path pattern of a rule as template literals: with and without each optional part. */
function patternPaths(source: string): string[] {
  let paths = ['']
  for (const token of parseTokens(source)) {
    const [prefix, value, suffix] =
      typeof token === 'string'
        ? [token, '', '']
        : [token.prefix, token.name === undefined && token.group === undefined ? '' : ANY_TEXT, token.suffix]
    const withPart = paths.map((path) => path + literal(prefix) + value + literal(suffix))
    const isOptional = typeof token !== 'string' && (token.modifier === '?' || token.modifier === '*')
    paths = isOptional ? [...paths, ...withPart] : withPart
    if (paths.length > VARIANTS_LIMIT) return [`/${ANY_TEXT}`]
  }
  return paths.map((path) => path || '/')
}

/** More optional parts than these would fill the file. */
const VARIANTS_LIMIT = 32
// biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template literal type.
const ANY_TEXT = '${string}'

function literal(text: string): string {
  return text.replaceAll(/[`$\\]/g, '\\$&')
}

function valueTypes(rules: Readonly<Record<string, PublicEnvRule>>): string {
  const lines = Object.entries(rules).map(([name, rule]) => `    ${name}: ${valueType(rule)}\n`)
  return lines.length > 0 ? `{\n${lines.join('')}  }` : '{}'
}

function valueType({ type, optional, default: fallback }: PublicEnvRule): string {
  const name = type === 'url' ? 'string' : type
  return optional && fallback === undefined ? `${name} | undefined` : name
}
