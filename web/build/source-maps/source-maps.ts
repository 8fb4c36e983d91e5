// Source maps: the names of the sources in them, where those of browser scripts are kept, and text with their positions.
// Guarantees: names are equal on every machine, wherever Portico and packages are installed (F3); no service serves the
// folder of the maps, and no image contains it (E4).
// Leaves maps of server bundles to the bundler, which writes them next to the chunks.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { authorError } from '../build-error.ts'
import type { SiteConfig } from '../config/config.ts'
import { listFiles } from '../folder/folder.ts'
import { FRAMEWORK, isShared } from '../framework-files.ts'
import { appRelative } from '../source/source.ts'

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

// Positions in minified scripts become those in the author's files, in any text: a stack that a tab reported, a line of a
// log, an event of an error service (E4).

export interface TextMapper {
  /** The text with `pages/shop.tsx:12:7` in the place of each `https://…/_portico/static/page-shop-1a2b.js:1:345`. */
  map: (text: string) => string
  /** Names of scripts that the text named and no build here has a map of. */
  unknown: ReadonlySet<string>
}

/** An address may end at a quote, a bracket or the escaped end of a line in JSON. The name holds the hash of its script. */
const POSITION =
  /(?:https?:\/\/[^\s"'()\\]*)?\/_portico\/static\/((?:[\w~@+-][\w.~@+-]*\/)*[\w~@+-][\w.~@+-]*\.js):([1-9]\d{0,8}):([1-9]\d{0,8})/g

/**
 * Reads the maps of all builds that are kept in the app folder. A script has one name in every build that has the same
 * code, so the build of a position need not be known. Throws where the folder has no maps.
 */
export function createTextMapper(appDir: string): TextMapper {
  const folder = join(appDir, MAPS_FOLDER)
  const builds = buildsIn(folder)
  const maps = new Map<string, SourceMap | undefined>()
  const unknown = new Set<string>()
  const mapOf = (script: string) => {
    if (!maps.has(script)) maps.set(script, readMap(builds, script))
    return maps.get(script)
  }
  const map = (text: string) =>
    text.replace(POSITION, (found, script: string, line: string, column: string) => {
      const origin = mapOf(script)?.findOrigin(Number(line), Number(column))
      if (origin && 'fileName' in origin) return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
      unknown.add(script)
      return found
    })
  return { map, unknown }
}

/** Folders of builds, the latest first. */
function buildsIn(folder: string): string[] {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {
    // Said below.
  }
  if (names.length === 0)
    throw authorError({
      file: MAPS_FOLDER,
      rule: "holds no source maps; a build writes them unless sourceMaps is 'public' or false; from containers they are copied",
      docs: 'sourceMaps',
    })
  return names.map((name) => join(folder, name)).sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
}

function readMap(builds: readonly string[], script: string): SourceMap | undefined {
  for (const build of builds) {
    try {
      return new SourceMap(JSON.parse(readFileSync(join(build, `${script}.map`), 'utf8')))
    } catch {
      // The map is of another build, or damaged.
    }
  }
  return undefined
}
