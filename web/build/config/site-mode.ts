// Runs portico.config.*, and finds whether a compatibility mode is on for the folder.

import type { FoundMode } from '../adapter/adapter.ts'
import { adapter } from '../adapter/registered.ts'
import { readDependencies } from '../json-object.ts'
import { findConfigFile, type RunConfig, runConfigFile } from './config-file.ts'

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
