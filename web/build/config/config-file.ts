// Loads portico.config.ts, which site-config.ts checks (R7).

import { join, resolve } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { runnerImport } from 'vite'
import { BuildError } from '../build-error.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { readableError } from '../readable-error.ts'
import { parseSiteConfig, type SiteConfig } from './site-config.ts'

/**
 * Runs the config file with `portico/config` resolved to this framework, and checks its default export. `onFiles`
 * receives the absolute paths of the config file and of the files that it imports.
 */
export async function loadSiteConfig(
  appDir: string,
  file: string | undefined,
  onFiles: (files: string[]) => void = () => {},
): Promise<SiteConfig> {
  if (!file) return parseSiteConfig({})
  const { module, dependencies } = await runnerImport<{ default?: unknown }>(join(appDir, file), {
    configFile: false,
    root: appDir,
    logLevel: 'error',
    resolve: { alias: { 'portico/config': RUNTIME_FILES.config }, tsconfigPaths: true },
  }).catch((cause: unknown) => {
    throw new BuildError(`${file}: could not be loaded: ${readableError(cause, appDir).message}`, { cause })
  })
  onFiles([join(appDir, file), ...dependencies.map((path) => resolve(appDir, path))])
  const value = await callIfFunction(module.default)
  if (value === undefined)
    throw new BuildError(`${file}: must have a default export: export default defineConfig({ … })`)
  return parseSiteConfig(await resolveFunctions(value), file)
}

/** Calls redirects, rewrites and headers where they are functions, as in the Pages Router. */
async function resolveFunctions(value: unknown): Promise<unknown> {
  if (!isRecord(value)) return value
  const resolved: Record<string, unknown> = { ...value }
  for (const name of ['redirects', 'rewrites', 'headers'])
    if (name in resolved) resolved[name] = await callIfFunction(resolved[name])
  return resolved
}

async function callIfFunction(value: unknown): Promise<unknown> {
  return typeof value === 'function' ? await value() : value
}
