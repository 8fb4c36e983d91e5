// Finds the place in the author's sources at which code of a bundle threw.

import { SourceMap, type SourceMapPayload } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseStackFrames, type StackFrame } from '@portico/shared/wire/errors/stack-frames.ts'
import type { Rolldown } from 'vite'
import { isOfSite } from '../source-maps/source-names.ts'

interface Bundle {
  bundleDir: string
  /** With source maps. */
  output: Rolldown.RolldownOutput['output']
}

/** `pages/_document.tsx:3:9` for the innermost frame in a file of the app folder; undefined if there is none. */
export function originalPlace(stack: string, bundle: Bundle): string | undefined {
  for (const frame of parseStackFrames(stack)) {
    const place = placeOf(frame, bundle)
    if (place) return place
  }
  return undefined
}

function placeOf({ location, line, column }: StackFrame, { bundleDir, output }: Bundle): string | undefined {
  if (!location.startsWith('file:')) return undefined
  const file = fileURLToPath(location)
  const chunk = output.find(({ type, fileName }) => type === 'chunk' && join(bundleDir, fileName) === file)
  if (chunk?.type !== 'chunk' || !chunk.map) return undefined
  // The cast: Node and the bundler have different types for one format.
  const origin = new SourceMap(chunk.map as unknown as SourceMapPayload).findOrigin(line, column)
  if (!('fileName' in origin) || !isOfSite(origin.fileName)) return undefined
  return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
}
