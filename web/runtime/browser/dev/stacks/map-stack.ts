// Maps a stack of the browser to positions in the author's files: fetches the served modules and reads their source maps.

import type { DevFrameLine, DevStackFrame } from '@portico/shared/wire/dev/dev-wire.ts'
import {
  codeFrame,
  MAX_STACK_FRAMES,
  parseStackFrames,
  type StackFrame,
} from '@portico/shared/wire/errors/stack-frames.ts'
import { parseSourceMap, type SourceMap } from './source-map.ts'

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
