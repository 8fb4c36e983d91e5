// The source maps of the scripts for browsers: by default in `.portico/source-maps/<build id>`, with the scripts that they
// are of, which is what an error service reads. No service serves this folder, and no image contains it (E4).

import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SiteConfig } from '../config/site-config.ts'
import { listFiles } from '../folder/public-files.ts'

/** Relative to the app folder. */
export const MAPS_FOLDER = '.portico/source-maps'
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
