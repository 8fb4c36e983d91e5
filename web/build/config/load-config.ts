// Loads the configuration of a site: portico.config.*, and in compatibility mode that of the framework with the `.env` files
// (X4).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EnvMode } from '@portico/shared/wire/environment/env-files.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { AdaptedConfig } from '../adapter/adapter.ts'
import { refusalText } from '../adapter/mode-report.ts'
import { type ModeSettings, ownSettings } from '../adapter/mode-settings.ts'
import { BuildError, lineAndColumn } from '../build-error.ts'
import { offsetOfField } from './config-place.ts'
import { withNotEmptyConditions } from './not-empty-conditions.ts'
import { parseSiteConfig, type SiteConfig } from './site-config.ts'
import { readSiteMode, type SiteMode } from './site-mode.ts'

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
