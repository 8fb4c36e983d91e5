// Finds, checks and loads the build of an app folder, and makes the folder the place in which the code of the site runs.

import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Manifest, parseManifest } from '../../wire/build-output.ts'
import type { ActionsBundle, ServerBundle } from '../../wire/bundles.ts'
import { parseJson } from '../../wire/json/json-value.ts'
import type { Log } from '../observe/log.ts'
import type { Folders } from './config.ts'
import { provideCodeEnv } from './site-environment.ts'

export interface AppBuild {
  /** Absolute path of `<app folder>/dist`. */
  dir: string
  manifest: Manifest
}

/** Reads `<appDir>/dist/manifest.json`. Throws an error that names the remedy when there is no build. */
export async function loadAppBuild(appDir: string): Promise<AppBuild> {
  const dir = resolve(appDir, 'dist')
  let text: string
  try {
    text = await readFile(join(dir, 'manifest.json'), 'utf8')
  } catch (cause) {
    throw new Error(`APP_DIR=${appDir}: the folder has no build; run \`portico build\` first`, { cause })
  }
  // A truncated file is no JSON: parseManifest names the remedy.
  return { dir, manifest: parseManifest(parseJson(text)) }
}

/**
 * Makes the app folder the working directory, and sets the folders in the environment, defaults included: code of the
 * site expects both (K2). Call it after the settings were read: relative values were resolved in the earlier directory.
 */
export function enterAppFolder({ appDir, dataDir, cacheDir }: Folders): void {
  Object.assign(process.env, { APP_DIR: appDir, DATA_DIR: dataDir, CACHE_DIR: cacheDir })
  try {
    process.chdir(appDir)
  } catch (cause) {
    throw new Error(`APP_DIR=${appDir}: the folder cannot be entered`, { cause })
  }
}

/** Completes the environment that code of the site reads. Call it before a module of the site is loaded. */
export function completeEnvironment({ manifest }: Pick<AppBuild, 'manifest'>, log: Pick<Log, 'info'>): void {
  provideCodeEnv(manifest, process.env, log)
}

/** Loads the bundle of the renderer. */
export async function loadServerBundle(build: AppBuild): Promise<ServerBundle> {
  // The build of this repository exports `bundle`; the manifest's format number, checked above, implies its shape.
  const module = (await import(entryUrl(build, 'server'))) as { bundle: ServerBundle }
  return module.bundle
}

/** Loads the actions service's bundle. */
export async function loadActionsBundle(build: AppBuild): Promise<ActionsBundle> {
  const module = (await import(entryUrl(build, 'actions'))) as { bundle: ActionsBundle }
  return module.bundle
}

function entryUrl(build: AppBuild, part: 'server' | 'actions'): string {
  return pathToFileURL(join(build.dir, part, 'entry.js')).href
}
