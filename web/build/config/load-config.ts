// Loads the configuration of a site: portico.config.*, and in compatibility mode next.config.* with the `.env` files (X4).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EnvMode } from '@portico/shared/wire/environment/env-files.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError, lineAndColumn } from '../build-error.ts'
import { defaultSettings, type NextSettings } from '../next/fields/next-settings.ts'
import { withNextConditions } from '../next/next-conditions.ts'
import { type NextMode, readNextMode } from '../next/next-mode.ts'
import { refusalText } from '../next/next-report.ts'
import { readPostcssPlugins } from '../next/postcss.ts'
import { type NextConfig, readNextConfig } from '../next/read-next.ts'
import { offsetOfField } from './config-place.ts'
import { parseSiteConfig, type SiteConfig } from './site-config.ts'

interface LoadedConfig {
  config: SiteConfig
  next: NextSettings
  /** Absolute paths: a change of one of these files may change the config. */
  files: string[]
}

export interface LoadOptions {
  mode?: EnvMode
  /** In compatibility mode it receives the values of the `.env` files that it does not have. */
  environment?: NodeJS.ProcessEnv
  /** The mode of the folder, where it was read before: reading it runs portico.config.*. */
  nextMode?: NextMode
  /** Receives the report and the settings of compatibility mode, also if the configuration is refused. */
  onNext?: (next: Pick<NextConfig, 'report' | 'settings'>) => void
}

/** Throws BuildError with a line for each fault. */
export async function loadSiteConfig(appDir: string, options: LoadOptions = {}): Promise<LoadedConfig> {
  const { mode = 'production', environment = { ...process.env }, onNext = () => {} } = options
  const nextMode = options.nextMode ?? (await readNextMode(appDir))
  const { portico } = nextMode
  const files = portico?.files ?? []
  if (!nextMode.on) {
    const config = parseSiteConfig(portico?.value ?? {}, placeIn(appDir, portico?.file))
    return { config, next: { ...defaultSettings(false), ...endingsOf(config) }, files }
  }
  const next = await readNextConfig(appDir, nextMode, { mode, environment })
  Object.assign(environment, next.values)
  onNext(next)
  const { refused } = next.report
  if (refused.length > 0)
    throw new BuildError(refused.map((line) => `${next.file ?? 'package.json'}: ${refusalText(line)}`))
  const own = isRecord(portico?.value) ? portico.value : {}
  refuseRepeated(own, next, portico?.file ?? '')
  // X8, X9: as in Next.js, documents have no policy until the author sets one, and the build renders pages.
  const value = { csp: false, prerender: 'build', ...next.site, ...own }
  const placeInOwn = placeIn(appDir, portico?.file)
  const placeOf = (field: string) => (Object.hasOwn(own, firstName(field)) ? placeInOwn(field) : next.file)
  const config = withNextConditions(parseSiteConfig(value, placeOf))
  const postcss = await readPostcssPlugins(appDir)
  const settings = { ...next.settings, ...(postcss && { postcss }), ...endingsOf(config) }
  return { config, next: settings, files: [...files, ...next.files] }
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

function endingsOf({ pageExtensions }: SiteConfig): Partial<Pick<NextSettings, 'pageExtensions'>> {
  return pageExtensions ? { pageExtensions } : {}
}

/** A field of both files would have one value that counts, and one that is ignored. */
function refuseRepeated(own: Record<string, unknown>, { file, fields }: NextConfig, porticoFile: string): void {
  const repeated = Object.keys(own).filter((name) => fields.includes(name))
  if (repeated.length === 0) return
  throw new BuildError(repeated.map((name) => `${name}: is set in ${file} and in ${porticoFile}; keep one of them`))
}
