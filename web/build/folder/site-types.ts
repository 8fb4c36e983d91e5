// The types of one app folder: its paths for Link and the router, its values of the environment (F1, O8). The build and the
// development server write them into the app folder, where editors find them without configuration.

import { join } from 'node:path'
import type { PublicEnvRule } from '@portico/shared/wire/build-output.ts'
import { parseTokens } from '@portico/shared/wire/patterns/pattern-tokens.ts'
import { parsePattern } from '@portico/shared/wire/routing/routes.ts'
import { type ModeSettings, ownSettings } from '../adapter/mode-settings.ts'
import { loadSiteConfig } from '../config/load-config.ts'
import type { SiteConfig } from '../config/site-config.ts'
import { type AppFolder, locateAppFolder, readAppFolder } from './app-folder.ts'
import { writeChanged, writeCompilerOptions, writeModeTypes } from './compiler-options.ts'
import { publicPaths } from './public-files.ts'

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
