// Refuses sets of page files in which a request could match ambiguously (R4). The build runs this check.

import type { RouteFile } from '../build-output.ts'
import { parsePattern, type Segment } from './routes.ts'

export class RouteConflictError extends Error {
  override name = 'RouteConflictError'
}

/** The segments at one position of the path, each with the file that defines it. */
interface Position {
  statics: Map<string, Position>
  dynamic?: { name: string; file: string; next: Position }
  catchAll?: { file: string; isOptional: boolean }
  pageFile?: string
}

/** One error for each file that is refused next to the files before it, naming the file or both files and the rule. */
export function routeConflicts(files: readonly RouteFile[]): RouteConflictError[] {
  const root: Position = { statics: new Map() }
  return files.flatMap(({ pattern, file }) => {
    try {
      const segments = parsePattern(pattern)
      refuseBadSegments(segments, file)
      addPage(root, segments, file)
      return []
    } catch (error) {
      if (!(error instanceof RouteConflictError)) throw error
      return [error]
    }
  })
}

function refuseBadSegments(segments: Segment[], file: string): void {
  const names = new Set<string>()
  segments.forEach((segment, index) => {
    if (segment.kind === 'static') {
      if (/[[\]]/.test(segment.text))
        refuse(file, `the segment "${segment.text}" is neither a name, [name], [...name] nor [[...name]]`)
      return
    }
    if (names.has(segment.name)) refuse(file, `the name "${segment.name}" is given twice in one path`)
    names.add(segment.name)
    if (segment.kind !== 'dynamic' && index !== segments.length - 1)
      refuse(file, `a catch-all segment ("${segment.name}") must be the last one of its path`)
  })
}

function addPage(root: Position, segments: Segment[], file: string): void {
  let at = root
  for (const segment of segments) {
    if (segment.kind === 'static') {
      const next: Position = at.statics.get(segment.text) ?? { statics: new Map() }
      at.statics.set(segment.text, next)
      at = next
    } else if (segment.kind === 'dynamic') {
      at.dynamic ??= { name: segment.name, file, next: { statics: new Map() } }
      if (at.dynamic.name !== segment.name)
        refusePair(
          file,
          at.dynamic.file,
          `two names for one dynamic position ("${segment.name}" and "${at.dynamic.name}")`,
        )
      at = at.dynamic.next
    } else {
      const isOptional = segment.kind === 'optional-catch-all'
      if (at.catchAll) refusePair(file, at.catchAll.file, 'both end in a catch-all at one position')
      if (isOptional && at.pageFile) refusePair(file, at.pageFile, INDEX_WITH_OPTIONAL)
      at.catchAll = { file, isOptional }
      return
    }
  }
  if (at.pageFile) refusePair(file, at.pageFile, 'two pages for one path')
  if (at.catchAll?.isOptional) refusePair(file, at.catchAll.file, INDEX_WITH_OPTIONAL)
  at.pageFile = file
}

const INDEX_WITH_OPTIONAL = 'an optional catch-all and an index of the same path'

function refuse(file: string, rule: string): never {
  throw new RouteConflictError(`${file}: ${rule}`)
}

function refusePair(file: string, other: string, rule: string): never {
  throw new RouteConflictError(`${file} and ${other}: ${rule}`)
}
