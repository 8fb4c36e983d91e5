// Source maps: the names of the sources in them, and where those of browser scripts are kept.
// Guarantees: names are equal on every machine, wherever Portico and packages are installed (F3); no service serves the
// folder of the maps, and no image contains it (E4).
// Leaves texts with positions to map-text.ts, and maps of server bundles to the bundler, which writes them next to the chunks.

import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { SiteConfig } from '../config/config.ts'
import { listFiles } from '../folder/folder.ts'
import { FRAMEWORK, isShared } from '../framework-files.ts'
import { appRelative } from '../source/source.ts'
import { MAPS_FOLDER } from './map-text.ts'

export { MAPS_FOLDER } from './map-text.ts'

/** Begin of the names of the framework's own sources, which are in no folder of the site. */
const OF_FRAMEWORK = 'portico:///'

/**
 * The bundler's `sourcemapPathTransform`. A source in the app folder has its path there, one of a package its path from
 * node_modules.
 */
export function sourceNames(appDir: string): (source: string, mapFile: string) => string {
  return (source, mapFile) => {
    const path = resolve(dirname(mapFile), source)
    if (isShared(path)) return OF_FRAMEWORK + appRelative(FRAMEWORK, path)
    const name = appRelative(appDir, path)
    const packages = name.lastIndexOf('node_modules/')
    return packages < 0 ? name : name.slice(packages)
  }
}

/** Whether the source of this name is in the app folder, and of no package. */
export function isOfSite(name: string): boolean {
  return !name.startsWith(OF_FRAMEWORK) && !name.startsWith('../') && !/(^|\/)node_modules\//.test(name)
}

// The source maps of the scripts for browsers: by default in `.portico/source-maps/<build id>`, with the scripts that they
// are of, which is what an error service reads.

/** Builds whose maps are kept: tabs that are open during a deploy run the scripts of an earlier one. */
const KEPT_BUILDS = 5

/**
 * Moves the maps out of `scripts`, the folder of the browser bundle, to `target`. Unless maps are public, those that a plugin
 * of the site has the bundler write are moved, too.
 */
export async function takeMaps(
  { sourceMaps }: Pick<SiteConfig, 'sourceMaps'>,
  scripts: string,
  target: string,
): Promise<void> {
  if (sourceMaps === 'public') return
  for (const name of await listFiles(scripts)) {
    if (!name.endsWith('.js.map')) continue
    if (sourceMaps === false) {
      await rm(join(scripts, name))
      continue
    }
    const script = name.slice(0, -'.map'.length)
    await mkdir(dirname(join(target, name)), { recursive: true })
    await rename(join(scripts, name), join(target, name))
    await copyFile(join(scripts, script), join(target, script))
  }
}

/** Keeps the maps of a finished build, and removes those of the oldest. `from` is the folder that `takeMaps` filled. */
export async function keepMaps(appDir: string, from: string, buildId: string): Promise<void> {
  const folder = join(appDir, MAPS_FOLDER)
  const own = join(folder, buildId)
  await mkdir(folder, { recursive: true })
  await rm(own, { recursive: true, force: true })
  await rename(from, own)
  // The order is that of the builds.
  await utimes(own, new Date(), new Date())
  const ages = await Promise.all(
    (await readdir(folder)).map(async (name) => ({ name, ms: (await stat(join(folder, name))).mtimeMs })),
  )
  const old = ages.sort((one, other) => other.ms - one.ms).slice(KEPT_BUILDS)
  for (const { name } of old) await rm(join(folder, name), { recursive: true, force: true })
}
