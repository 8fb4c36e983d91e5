// Loads the configuration of a site: runs portico.config.*, finds whether a compatibility mode is on for the folder, and has
// the mode read the configuration of its framework with the `.env` files (X4).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EnvMode } from '@portico/shared/wire/environment/env-files.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { AdaptedConfig, FoundMode } from './adapter.ts'
import { BuildError, lineAndColumn } from './build-error.ts'
import {
  findConfigFile,
  offsetOfField,
  parseSiteConfig,
  type RunConfig,
  runConfigFile,
  type SiteConfig,
  withNotEmptyConditions,
} from './config/config.ts'
import { type ModeSettings, ownSettings, refusalText } from './mode.ts'
import { readDependencies } from './package-json.ts'
import { adapter } from './registered-adapter.ts'

export interface SiteMode {
  /** The folder's portico.config.* as it is, not checked. */
  portico?: RunConfig
  /** The mode that is on. */
  found?: FoundMode
}

/** Throws BuildError for two configurations that do not know of each other. */
export async function readSiteMode(appDir: string): Promise<SiteMode> {
  // First: the bundler's own error for a package.json with faults would not name them.
  await readDependencies(appDir)
  const file = findConfigFile(appDir)
  const portico = file === undefined ? undefined : await runConfigFile(appDir, file)
  const found = await adapter?.readMode(appDir, portico)
  return { ...(portico && { portico }), ...(found && { found }) }
}

interface LoadedConfig {
  config: SiteConfig
  next: ModeSettings
  /** Absolute paths: a change of one of these files may change the config. */
  files: string[]
}

export interface LoadOptions {
  mode?: EnvMode
  /** In compatibility mode it receives the values of the `.env` files that it does not have. */
  environment?: NodeJS.ProcessEnv
  /** The mode of the folder, where it was read before: reading it runs portico.config.*. */
  siteMode?: SiteMode
  /** Receives what compatibility mode has read, also if the configuration is refused. */
  onAdapted?: (adapted: AdaptedConfig) => void
}

/** Throws BuildError with a line for each fault. */
export async function loadSiteConfig(appDir: string, options: LoadOptions = {}): Promise<LoadedConfig> {
  const { mode = 'production', environment = { ...process.env }, onAdapted = () => {} } = options
  const { portico, found } = options.siteMode ?? (await readSiteMode(appDir))
  const files = portico?.files ?? []
  if (!found) {
    const config = parseSiteConfig(portico?.value ?? {}, placeIn(appDir, portico?.file))
    return { config, next: { ...ownSettings(), ...endingsOf(config) }, files }
  }
  const adapted = await found.read({ mode, environment })
  Object.assign(environment, adapted.values)
  onAdapted(adapted)
  const { refused } = adapted.report
  if (refused.length > 0)
    throw new BuildError(refused.map((line) => `${adapted.file ?? 'package.json'}: ${refusalText(line)}`))
  const own = isRecord(portico?.value) ? portico.value : {}
  refuseRepeated(own, adapted, portico?.file ?? '')
  // X8, X9: as in Next.js, documents have no policy until the author sets one, and the build renders pages.
  const value = { csp: false, prerender: 'build', ...adapted.site, ...own }
  const placeInOwn = placeIn(appDir, portico?.file)
  const placeOf = (field: string) => (Object.hasOwn(own, firstName(field)) ? placeInOwn(field) : adapted.file)
  const parsed = parseSiteConfig(value, placeOf)
  const config = adapted.settings.hasNotEmptyConditions ? withNotEmptyConditions(parsed) : parsed
  const postcss = await adapted.readPostcss()
  const next = { ...adapted.settings, ...(postcss && { postcss }), ...endingsOf(config) }
  return { config, next, files: [...files, ...adapted.files] }
}

/** Names the line of a field in portico.config.*. */
function placeIn(appDir: string, file: string | undefined): (field: string) => string | undefined {
  return (field) => {
    if (file === undefined) return undefined
    const code = readFileSync(join(appDir, file), 'utf8')
    const offset = offsetOfField(code, file, field)
    return offset === undefined ? file : `${file}:${lineAndColumn(code, offset)}`
  }
}

function firstName(field: string): string {
  return /^\w*/.exec(field)?.[0] ?? ''
}

function endingsOf({ pageExtensions }: SiteConfig): Partial<Pick<ModeSettings, 'pageExtensions'>> {
  return pageExtensions ? { pageExtensions } : {}
}

/** A field of both files would have one value that counts, and one that is ignored. */
function refuseRepeated(own: Record<string, unknown>, { file, fields }: AdaptedConfig, porticoFile: string): void {
  const repeated = Object.keys(own).filter((name) => fields.includes(name))
  if (repeated.length === 0) return
  throw new BuildError(repeated.map((name) => `${name}: is set in ${file} and in ${porticoFile}; keep one of them`))
}
