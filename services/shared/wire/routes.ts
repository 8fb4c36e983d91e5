// Route patterns: parsing, conflicts (R4), and matching in one pass over a prepared tree (R2, R3).

export type RouteParams = Record<string, string | string[]>

export type Segment =
  | { kind: 'static'; text: string }
  | { kind: 'dynamic'; name: string }
  | { kind: 'catch-all'; name: string }
  | { kind: 'optional-catch-all'; name: string }

export type RouteMatch =
  | { kind: 'match'; pattern: string; params: RouteParams }
  | { kind: 'no-match' }
  /** The path holds a malformed percent sequence or %00: answer 400 (R3). */
  | { kind: 'malformed' }

/** A prepared route tree; make it once at boot with prepareRoutes. */
export interface RouteTree {
  statics: Map<string, RouteTree>
  dynamic?: { name: string; tree: RouteTree }
  catchAll?: { name: string; pattern: string }
  optionalCatchAll?: { name: string; pattern: string }
  pattern?: string
}

export interface RouteFile {
  /** Pattern in Pages Router notation, as in `/places/[slug]`. */
  pattern: string
  /** File that defines it, for messages. */
  file: string
}

/** A set of page files that no request could be matched against without ambiguity (R4). */
export class RouteConflictError extends Error {
  override name = 'RouteConflictError'
}

/** Splits a pattern into its segments. Throws RouteConflictError when the notation is not the Pages Router's. */
export function parsePattern(pattern: string, file = pattern): Segment[] {
  const segments = pattern
    .split('/')
    .filter((part) => part !== '')
    .map((part) => parseSegment(part, file))
  const seen = new Set<string>()
  segments.forEach((segment, index) => {
    if (segment.kind === 'static') return
    if (seen.has(segment.name))
      throw new RouteConflictError(`${file}: the name "${segment.name}" stands twice in one path`)
    seen.add(segment.name)
    if (segment.kind !== 'dynamic' && index !== segments.length - 1)
      throw new RouteConflictError(`${file}: a catch-all segment ("${segment.name}") must be the last one of its path`)
  })
  return segments
}

function parseSegment(part: string, file: string): Segment {
  const optional = /^\[\[\.\.\.([^[\].]+)\]\]$/.exec(part)
  if (optional?.[1]) return { kind: 'optional-catch-all', name: optional[1] }
  const catchAll = /^\[\.\.\.([^[\].]+)\]$/.exec(part)
  if (catchAll?.[1]) return { kind: 'catch-all', name: catchAll[1] }
  const dynamic = /^\[([^[\].]+)\]$/.exec(part)
  if (dynamic?.[1]) return { kind: 'dynamic', name: dynamic[1] }
  if (/[[\]]/.test(part))
    throw new RouteConflictError(`${file}: the segment "${part}" is neither a name, [name], [...name] nor [[...name]]`)
  return { kind: 'static', text: part }
}

/** Builds the tree once. Throws RouteConflictError, naming both files, for a set that R4 refuses. */
export function prepareRoutes(files: readonly RouteFile[]): RouteTree {
  const root: RouteTree = { statics: new Map() }
  const fileOf = new Map<string, string>()
  const nameFile = new Map<object, string>()
  for (const { pattern, file } of files) {
    let node = root
    let finished = false
    for (const segment of parsePattern(pattern, file)) {
      if (segment.kind === 'static') {
        const next: RouteTree = node.statics.get(segment.text) ?? { statics: new Map() }
        node.statics.set(segment.text, next)
        node = next
      } else if (segment.kind === 'dynamic') {
        if (!node.dynamic) {
          node.dynamic = { name: segment.name, tree: { statics: new Map() } }
          nameFile.set(node.dynamic, file)
        }
        refuseTwoNames(node.dynamic, segment.name, file, nameFile)
        node = node.dynamic.tree
      } else {
        const key = segment.kind === 'catch-all' ? 'catchAll' : 'optionalCatchAll'
        const rival = node.catchAll ?? node.optionalCatchAll
        if (rival) refusePair(file, nameFile.get(rival), 'both end in a catch-all at one position')
        node[key] = { name: segment.name, pattern }
        nameFile.set(node[key], file)
        if (key === 'optionalCatchAll' && node.pattern !== undefined)
          refusePair(file, fileOf.get(node.pattern), 'an optional catch-all beside an index of the same path')
        finished = true
      }
    }
    if (!finished) {
      if (node.pattern !== undefined) refusePair(file, fileOf.get(node.pattern), 'two pages for one path')
      if (node.optionalCatchAll)
        refusePair(file, nameFile.get(node.optionalCatchAll), 'an optional catch-all beside an index of the same path')
      node.pattern = pattern
    }
    fileOf.set(pattern, file)
  }
  return root
}

function refuseTwoNames(rival: { name: string }, name: string, file: string, nameFile: Map<object, string>): void {
  if (rival.name !== name)
    refusePair(file, nameFile.get(rival), `two names for one dynamic position ("${name}" and "${rival.name}")`)
}

function refusePair(file: string, other: string | undefined, rule: string): never {
  throw new RouteConflictError(`${file} and ${other ?? 'another page'}: ${rule}`)
}

/**
 * Finds the route of a pathname (without basePath, percent-encoded as it came). Static segments win over dynamic ones,
 * those over catch-alls, those over optional catch-alls, at every depth. Params are percent-decoded once.
 */
export function matchRoute(tree: RouteTree, pathname: string): RouteMatch {
  const segments = decodeSegments(pathname)
  if (!segments) return { kind: 'malformed' }
  const params: RouteParams = {}
  const pattern = walk(tree, segments, 0, params)
  return pattern === undefined ? { kind: 'no-match' } : { kind: 'match', pattern, params }
}

function walk(node: RouteTree, segments: string[], depth: number, params: RouteParams): string | undefined {
  const segment = segments[depth]
  if (segment === undefined) return node.pattern ?? node.optionalCatchAll?.pattern
  const next = node.statics.get(segment)
  if (next) {
    const found = walk(next, segments, depth + 1, params)
    if (found !== undefined) return found
  }
  if (node.dynamic) {
    const found = walk(node.dynamic.tree, segments, depth + 1, params)
    if (found !== undefined) {
      setParam(params, node.dynamic.name, segment)
      return found
    }
  }
  const rest = node.catchAll ?? node.optionalCatchAll
  if (!rest) return undefined
  setParam(params, rest.name, segments.slice(depth))
  return rest.pattern
}

// SECURITY: a route named [__proto__] must not reach the prototype of the params object.
function setParam(params: RouteParams, name: string, value: string | string[]): void {
  Object.defineProperty(params, name, { value, enumerable: true, configurable: true, writable: true })
}

/** The decoded segments of a pathname; undefined when a percent sequence is malformed or stands for NUL. */
export function decodeSegments(pathname: string): string[] | undefined {
  const segments: string[] = []
  for (const part of pathname.split('/')) {
    if (part === '') continue
    if (!part.includes('%')) {
      segments.push(part)
      continue
    }
    try {
      const decoded = decodeURIComponent(part)
      if (decoded.includes('\0')) return undefined
      segments.push(decoded)
    } catch {
      // A malformed sequence is an answer (400), not a fault of ours.
      return undefined
    }
  }
  return segments
}

/** Fills a pattern with params, percent-encoding each value. Throws when a param is missing, naming it. */
export function fillPattern(pattern: string, params: RouteParams): string {
  const parts: string[] = []
  for (const segment of parsePattern(pattern)) {
    if (segment.kind === 'static') {
      parts.push(encodeURIComponent(segment.text))
      continue
    }
    const value = params[segment.name]
    if (value === undefined && segment.kind === 'optional-catch-all') continue
    if (value === undefined) throw new Error(`${pattern}: the param "${segment.name}" is missing`)
    if (segment.kind === 'dynamic' ? typeof value !== 'string' : !Array.isArray(value))
      throw new Error(
        `${pattern}: the param "${segment.name}" must be ${segment.kind === 'dynamic' ? 'a string' : 'a list of strings'}`,
      )
    const items = Array.isArray(value) ? value : [value]
    // An empty segment is no segment: the path would belong to another route.
    if (items.includes('') || (items.length === 0 && segment.kind === 'catch-all'))
      throw new Error(`${pattern}: the param "${segment.name}" must not be empty`)
    for (const item of items) parts.push(encodeURIComponent(item))
  }
  return `/${parts.join('/')}`
}
