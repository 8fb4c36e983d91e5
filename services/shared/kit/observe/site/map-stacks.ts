// Positions in bundles of the site become those in the author's files (E4): in log lines, and in the errors that
// `onRequestError` receives. A map is read when an error first needs it. Node's own flag would map every stack that code
// reads, also those of errors that are caught.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decodedMappings, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { LRUCache } from 'lru-cache'
import { isStackLine } from '../../../wire/errors/stack-frames.ts'

/** The text of a stack, with the author's positions where they are known. Never throws. */
export type MapStack = (stack: string) => string

/** Bytes of the map files that are kept; decoded they take some twenty times as much memory. A larger map is not read. */
const KEPT_BYTES = 4 * 1024 * 1024
/** Names for which there is a map or none. */
const KEPT_NAMES = 200
/** Frames of one stack; the message of an error may contain whole stacks, too. */
const MAX_FRAMES = 50

/** For the bundles in `dist` of the app folder. A link in its path is followed, as Node does for the modules in it. */
export function createStackMapper(appDir: string): MapStack {
  const dir = realFolder(appDir)
  const bundles = pathToFileURL(join(dir, 'dist')).href
  // SECURITY: the message of an error may be a text of a client. It names no file outside of the bundles, and a name ends.
  const position = new RegExp(
    `${RegExp.escape(bundles)}/((?:server|actions)/(?:chunks/)?[\\w.~@%+-]{1,200}\\.js):([1-9]\\d{0,8}):([1-9]\\d{0,8})`,
  )
  const maps = createMaps((name) => fileURLToPath(`${bundles}/${name}.map`))
  const originOf = (name: string, line: number, column: number) => {
    try {
      const map = maps(name)
      // Columns of stacks begin at 1.
      return map && originalPositionFor(map, { line, column: column - 1 })
    } catch {
      // A map whose parts do not fit together: the line keeps the position of the bundle.
      return undefined
    }
  }
  const mapLine = (text: string): string =>
    text.replace(position, (found, name: string, line: string, column: string) => {
      const origin = originOf(name, Number(line), Number(column))
      return origin?.source ? `${placeOf(origin.source, dir)}:${origin.line}:${origin.column + 1}` : found
    })
  return (stack) => {
    if (!stack.includes(bundles)) return stack
    let frames = 0
    return stack
      .split('\n')
      .map((line) => (isStackLine(line) && frames++ < MAX_FRAMES ? mapLine(line) : line))
      .join('\n')
  }
}

/** The framework's own sources are in no folder: their names are URLs. */
function placeOf(source: string, dir: string): string {
  return URL.canParse(source) ? source : resolve(dir, source)
}

interface KeptMap {
  map: TraceMap | undefined
  bytes: number
}

const NO_MAP: KeptMap = { map: undefined, bytes: 1 }

function createMaps(fileOf: (name: string) => string): (name: string) => TraceMap | undefined {
  const kept = new LRUCache<string, KeptMap>({
    max: KEPT_NAMES,
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  })
  return (name) => {
    const known = kept.get(name) ?? readMap(fileOf(name))
    kept.set(name, known)
    return known.map
  }
}

/** A file that is missing, too large or no source map is none: the line is written with the positions of the bundle. */
function readMap(file: string): KeptMap {
  try {
    const bytes = statSync(file).size
    if (bytes > KEPT_BYTES) return NO_MAP
    const map = new TraceMap(readFileSync(file, 'utf8'))
    // Else the first position would be the one that finds a fault.
    decodedMappings(map)
    return { map, bytes }
  } catch {
    // Not every chunk has a map.
    return NO_MAP
  }
}

function realFolder(appDir: string): string {
  try {
    return realpathSync(appDir)
  } catch {
    // The start of the service reports it.
    return resolve(appDir)
  }
}

/** Errors of a chain of causes. */
const MAX_CAUSES = 8

/** Maps the stacks of an error and of what it contains. An error that must not be changed keeps its stack. */
export function mapErrorStacks(error: unknown, mapStack: MapStack): void {
  const seen = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (!(value instanceof Error) || seen.has(value) || seen.size === MAX_CAUSES) return
    seen.add(value)
    try {
      if (typeof value.stack === 'string') Reflect.set(value, 'stack', mapStack(value.stack))
      visit(value.cause)
      if (value instanceof AggregateError) value.errors.forEach(visit)
    } catch {
      // A member may be a getter that throws.
    }
  }
  visit(error)
}
