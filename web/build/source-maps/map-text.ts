// Positions in minified scripts become those in the author's files, in any text: a stack that a tab reported, a line of a
// log, an event of an error service (E4).

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { authorError } from '../build-error.ts'

/** Relative to the app folder. */
export const MAPS_FOLDER = '.portico/source-maps'

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
