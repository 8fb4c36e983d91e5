// Maps a stack of the browser to positions in the author's files: fetches the served modules and reads their inline source
// maps.

import type { DevFrameLine, DevStackFrame } from '@portico/shared/wire/dev/dev-wire.ts'
import {
  codeFrame,
  MAX_STACK_FRAMES,
  parseStackFrames,
  type StackFrame,
} from '@portico/shared/wire/errors/stack-frames.ts'

/** Lines count from 1, columns from 0; the columns of V8's stacks count from 1. */
interface Original {
  line: number
  column: number
}

interface SourceMap {
  /** Text of the file before it was transformed. */
  source: string | undefined
  /** Undefined for code that a plugin added. `line` counts from 1, `column` from 0. */
  find(line: number, column: number): Original | undefined
}

const COMMENT = /^\/\/# sourceMappingURL=data:application\/json;(?:charset=[^;,]+;)?base64,([A-Za-z0-9+/=]+)\s*$/gm

/** The map at the end of a module's text; undefined when there is none. */
export function parseSourceMap(code: string): SourceMap | undefined {
  const encoded = [...code.matchAll(COMMENT)].at(-1)?.[1]
  if (encoded === undefined) return undefined
  try {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0))
    const map = JSON.parse(new TextDecoder().decode(bytes)) as { mappings?: unknown; sourcesContent?: unknown[] }
    if (typeof map.mappings !== 'string') return undefined
    const lines = parseMappings(map.mappings)
    const source = map.sourcesContent?.[0]
    return {
      source: typeof source === 'string' ? source : undefined,
      find: (line, column) => findIn(lines[line - 1] ?? [], column),
    }
  } catch {
    // Without a readable map the overlay shows the served position.
    return undefined
  }
}

interface Segment {
  column: number
  original: Original | undefined
}

function findIn(segments: readonly Segment[], column: number): Original | undefined {
  return segments.findLast((segment) => segment.column <= column)?.original
}

/** Mappings of the source map format, revision 3: base-64 numbers, each relative to the one before. */
function parseMappings(mappings: string): Segment[][] {
  let sourceLine = 0
  let sourceColumn = 0
  return mappings.split(';').map((line) => {
    let column = 0
    const segments = line === '' ? [] : line.split(',')
    return segments.map((text) => {
      const [columnStep = 0, , lineStep, sourceStep = 0] = decodeNumbers(text)
      column += columnStep
      if (lineStep === undefined) return { column, original: undefined }
      sourceLine += lineStep
      sourceColumn += sourceStep
      return { column, original: { line: sourceLine + 1, column: sourceColumn } }
    })
  })
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Each letter has five bits and a sixth that is set when more letters follow; a number's lowest bit is its sign. */
function decodeNumbers(text: string): number[] {
  const numbers: number[] = []
  let value = 0
  let shift = 0
  for (const letter of text) {
    const digit = DIGITS.indexOf(letter)
    value += (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    value = 0
    shift = 0
  }
  return numbers
}

interface MappedStack {
  stack: DevStackFrame[]
  /** The first place in the app folder. */
  place?: { file: string; line: number; column: number; frame?: DevFrameLine[] }
}

/** The author's line is often below many frames of a package, and V8 keeps ten unless it is told otherwise. */
export const READ_STACK_FRAMES = 100

export type MapStack = (stack: string) => Promise<MappedStack>

/** `base` is the address below which the development server serves modules, ending with a slash. */
export function createMapStack(base: string, fetchText: (url: string) => Promise<string>): MapStack {
  const maps = new Map<string, Promise<SourceMap | undefined>>()
  const mapOf = (url: string) => {
    let map = maps.get(url)
    if (!map) {
      // The positions of a module that is no longer served remain unmapped.
      map = fetchText(url).then(parseSourceMap, () => undefined)
      maps.set(url, map)
    }
    return map
  }

  const trace = async (call: StackFrame) => {
    const served = servedFile(call.location, base)
    if (served.kind === 'package') return { served, map: undefined, frame: frameOf(call, served.file) }
    const map = await mapOf(call.location)
    const original = map?.find(call.line, call.column - 1)
    const frame = original && { ...original, column: original.column + 1 }
    return { served, map, frame: { ...frameOf(call, served.file), ...frame } }
  }

  return async (text) => {
    const traced = await Promise.all(parseStackFrames(text).slice(0, READ_STACK_FRAMES).map(trace))
    const stack = traced
      .filter(({ served }, index) => index < MAX_STACK_FRAMES || served.kind === 'app')
      .map(({ frame }) => frame)
    const first = traced.find(({ served }) => served.kind === 'app')
    if (!first) return { stack }
    const { file, line, column } = first.frame
    const source = first.map?.source
    return { stack, place: { file, line, column, ...(source !== undefined && { frame: codeFrame(source, line) }) } }
  }
}

function frameOf({ name, line, column }: StackFrame, file: string): DevStackFrame {
  return { name, file, line, column }
}

/** A package's own file, or the file that the development server bundled from a package. */
const PACKAGE = /(?:node_modules|\.portico)\/(?:\.?vite\/deps\/)?((?:@[^/]+\/)?[^/]+)/

interface Served {
  kind: 'app' | 'framework' | 'package'
  file: string
}

/** The file of a module's address. */
function servedFile(address: string, base: string): Served {
  const { pathname } = new URL(address)
  const path = pathname.startsWith(base) ? decodeURI(pathname.slice(base.length)) : pathname
  const inPackages = PACKAGE.exec(path)
  if (inPackages) return { kind: 'package', file: inPackages[1]!.replace(/(-[\w-]{8})?\.js$/, '').replace('_', '/') }
  if (!pathname.startsWith(base) || /^@(vite\/|react-refresh|id\/)/.test(path)) return { kind: 'package', file: path }
  if (path.startsWith('@fs/')) return { kind: 'framework', file: path.slice('@fs'.length) }
  return { kind: 'app', file: path }
}
