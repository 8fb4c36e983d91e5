// Route patterns: parsing, and matching in one pass over a prepared tree (R2, R3).

import type { RouteFile } from '../build-output.ts'
/** The parameters of a route: a string for `[slug]`, a list for `[...path]`. */
import type { RouteParams } from '../route-params.ts'
export type Segment =
  | { kind: 'static'; text: string }
  | { kind: 'dynamic'; name: string }
  | { kind: 'catch-all'; name: string }
  | { kind: 'optional-catch-all'; name: string }

export type RouteMatch =
  | { kind: 'match'; pattern: string; params: RouteParams }
  | { kind: 'no-match' }
  /** The path contains a malformed percent sequence or %00: respond 400 (R3). */
  | { kind: 'malformed' }

/** Prepared routes; made once at boot with prepareRoutes. */
export interface RouteTree {
  /** Patterns without dynamic segments, by the whole path: static wins at every depth, so one look-up decides. */
  wholes: Map<string, string>
  root: RouteNode
}

interface RouteNode {
  /**
   * By segment; a leaf is its pattern. Maps are created only where needed: a large tree must fit into the processor's
   * caches, because a fetch from memory costs far more than a look-up.
   */
  statics: Map<string, RouteNode | string> | undefined
  /** Name and subtree of the dynamic segment. */
  param: string | undefined
  child: RouteNode | undefined
  catchAll: { name: string; pattern: string } | undefined
  optionalCatchAll: { name: string; pattern: string } | undefined
  pattern: string | undefined
}

/** Splits a pattern into its segments. The build refuses any other notation than the Pages Router's. */
export function parsePattern(pattern: string): Segment[] {
  return pattern
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      const [, optional, rest, dynamic] =
        /^(?:\[\[\.\.\.([^[\].]+)\]\]|\[\.\.\.([^[\].]+)\]|\[([^[\].]+)\])$/.exec(part) ?? []
      if (optional) return { kind: 'optional-catch-all', name: optional }
      if (rest) return { kind: 'catch-all', name: rest }
      return dynamic ? { kind: 'dynamic', name: dynamic } : { kind: 'static', text: part }
    })
}

/** Builds the tree once, from patterns that do not conflict (route-conflicts). */
export function prepareRoutes(files: readonly Pick<RouteFile, 'pattern'>[]): RouteTree {
  const tree: RouteTree = { wholes: new Map(), root: createNode() }
  for (const { pattern } of files) {
    addRoute(tree.root, pattern)
    if (!pattern.includes('[')) tree.wholes.set(pattern, pattern)
  }
  return tree
}

/** All nodes have one shape, so that V8 compiles property access for this shape. */
function createNode(): RouteNode {
  return {
    statics: undefined,
    param: undefined,
    child: undefined,
    catchAll: undefined,
    optionalCatchAll: undefined,
    pattern: undefined,
  }
}

function addRoute(root: RouteNode, pattern: string): void {
  let node = root
  const segments = parsePattern(pattern)
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'catch-all') {
      node.catchAll = { name: segment.name, pattern }
      return
    }
    if (segment.kind === 'optional-catch-all') {
      node.optionalCatchAll = { name: segment.name, pattern }
      return
    }
    if (segment.kind === 'dynamic') {
      node.param = segment.name
      node.child ??= createNode()
      node = node.child
      continue
    }
    node.statics ??= new Map()
    const known = node.statics.get(segment.text)
    if (index === segments.length - 1 && typeof known !== 'object') {
      node.statics.set(segment.text, pattern)
      return
    }
    const next = typeof known === 'object' ? known : createNode()
    if (typeof known === 'string') next.pattern = known
    node.statics.set(segment.text, next)
    node = next
  }
  node.pattern = pattern
}

/**
 * Finds the route of a pathname (without basePath, percent-encoded as received). At every depth static segments win
 * over dynamic ones, dynamic ones over catch-alls, catch-alls over optional catch-alls. Params are percent-decoded
 * once.
 */
export function matchRoute(tree: RouteTree, pathname: string): RouteMatch {
  const whole = tree.wholes.get(pathname)
  if (whole !== undefined) return { kind: 'match', pattern: whole, params: {} }
  const segments = decodeSegments(pathname)
  if (!segments) return { kind: 'malformed' }
  const params: RouteParams = {}
  const pattern = walk(tree.root, segments, 0, params)
  return pattern === undefined ? { kind: 'no-match' } : { kind: 'match', pattern, params }
}

function walk(node: RouteNode, segments: string[], depth: number, params: RouteParams): string | undefined {
  const segment = segments[depth]
  if (segment === undefined) return node.pattern ?? node.optionalCatchAll?.pattern
  const next = node.statics?.get(segment)
  if (typeof next === 'string') {
    if (depth === segments.length - 1) return next
  } else if (next) {
    const found = walk(next, segments, depth + 1, params)
    if (found !== undefined) return found
  }
  if (node.child && node.param !== undefined) {
    const found = walk(node.child, segments, depth + 1, params)
    if (found !== undefined) {
      setParam(params, node.param, segment)
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
  if (name === '__proto__')
    Object.defineProperty(params, name, { value, enumerable: true, configurable: true, writable: true })
  else params[name] = value
}

/** The decoded segments of a pathname; undefined when a percent sequence is malformed or encodes NUL. */
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
      // A malformed sequence is a fault of the client (400).
      return undefined
    }
  }
  return segments
}

/** Fills a pattern with params, percent-encoding each value. Throws an error that names a missing or wrong param. */
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
    // Routes ignore empty segments: the path would match another route.
    if (items.includes('') || (items.length === 0 && segment.kind === 'catch-all'))
      throw new Error(`${pattern}: the param "${segment.name}" must not be empty`)
    for (const item of items) parts.push(encodeURIComponent(item))
  }
  return `/${parts.join('/')}`
}
