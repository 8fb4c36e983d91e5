import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RouteParams } from './route-params.ts'
import { RouteConflictError, routeConflicts } from './routing/route-conflicts.ts'
import {
  decodeSegments,
  fillPattern,
  matchRoute,
  parsePattern,
  prepareRoutes,
  type RouteMatch,
} from './routing/routes.ts'

function treeOf(patterns: readonly string[]) {
  return prepareRoutes(patterns.map((pattern) => ({ pattern })))
}

/** Obvious and slow: tries every pattern alone, then compares all matching patterns position by position. */
function slowMatch(patterns: readonly string[], pathname: string): RouteMatch {
  const segments = decodeSegments(pathname)
  if (!segments) return { kind: 'malformed' }
  const RANK = { static: 0, dynamic: 1, 'catch-all': 2, 'optional-catch-all': 3, end: 4 }
  const fitting = patterns.flatMap((pattern) => {
    const params: RouteParams = {}
    const ranks: number[] = []
    const parts = parsePattern(pattern)
    for (const [index, part] of parts.entries()) {
      ranks.push(RANK[part.kind])
      if (part.kind === 'static' && part.text !== segments[index]) return []
      if (part.kind === 'dynamic') {
        if (segments[index] === undefined) return []
        params[part.name] = segments[index]
      }
      if (part.kind === 'catch-all' || part.kind === 'optional-catch-all') {
        const rest = segments.slice(index)
        if (rest.length > 0) params[part.name] = rest
        return rest.length === 0 && part.kind === 'catch-all' ? [] : [{ pattern, params, ranks }]
      }
    }
    return parts.length === segments.length ? [{ pattern, params, ranks }] : []
  })
  fitting.sort((left, right) => {
    for (let index = 0; ; index++) {
      const difference = (left.ranks[index] ?? -1) - (right.ranks[index] ?? -1)
      if (difference !== 0 || (left.ranks[index] === undefined && right.ranks[index] === undefined)) return difference
    }
  })
  const first = fitting[0]
  return first ? { kind: 'match', pattern: first.pattern, params: first.params } : { kind: 'no-match' }
}

const staticText = fc.constantFrom('a', 'b', 'c')
const patternOf = fc
  .tuple(
    fc.array(fc.oneof(staticText, fc.constant('[]')), { maxLength: 4 }),
    fc.constantFrom('', '', '[...rest]', '[[...rest]]'),
  )
  .map(([parts, last]) => {
    // One name for each depth, so that most sets are without conflict.
    const named = parts.map((part, depth) => (part === '[]' ? `[p${depth}]` : part))
    return `/${[...named, ...(last ? [last] : [])].join('/')}`
  })
/** The patterns that do not conflict, in the given order. */
function withoutConflicts(patterns: readonly string[]): string[] {
  const kept: string[] = []
  for (const pattern of patterns)
    try {
      treeOf([...kept, pattern])
      kept.push(pattern)
    } catch (error) {
      if (!(error instanceof RouteConflictError)) throw error
    }
  return kept
}
const pathOf = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', '%61', '%2F', 'x%20y', '%', ''), { maxLength: 6 })
  .map((parts) => `/${parts.join('/')}`)

describe('properties', () => {
  it('R2 finds what a slow and obvious matcher finds, for any routes in any order', () => {
    fc.assert(
      fc.property(
        fc.array(patternOf, { minLength: 1, maxLength: 12 }),
        fc.array(pathOf, { minLength: 1, maxLength: 10 }),
        (candidates, paths) => {
          const patterns = withoutConflicts(candidates)
          const tree = treeOf(patterns)
          const turned = treeOf(patterns.toReversed())
          for (const path of paths) {
            const wanted = slowMatch(patterns, path)
            expect(matchRoute(tree, path)).toEqual(wanted)
            expect(matchRoute(turned, path)).toEqual(wanted)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it('R4 refuses a set for every order of its files', () => {
    fc.assert(
      fc.property(fc.array(patternOf, { minLength: 2, maxLength: 6 }), (patterns) => {
        const isRefused = (list: readonly string[]) => {
          try {
            treeOf(list)
            return false
          } catch (error) {
            expect(error).toBeInstanceOf(RouteConflictError)
            return true
          }
        }
        expect(isRefused(patterns.toReversed())).toBe(isRefused(patterns))
      }),
      { numRuns: 500 },
    )
  })

  it('R3 a filled pattern matches again with the same params', () => {
    const value = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('\0'))
    const tree = treeOf(['/a/[one]/[...rest]', '/b/[[...rest]]', '/c d/[one]'])
    fc.assert(
      fc.property(value, fc.array(value, { minLength: 1, maxLength: 4 }), (one, rest) => {
        for (const [pattern, params] of [
          ['/a/[one]/[...rest]', { one, rest }],
          ['/b/[[...rest]]', { rest }],
          ['/c d/[one]', { one }],
        ] satisfies [string, RouteParams][])
          expect(matchRoute(tree, fillPattern(pattern, params))).toEqual({ kind: 'match', pattern, params })
      }),
    )
  })
})

describe('conflicts', () => {
  const refused: [rule: string, first: string, second: string, message: RegExp][] = [
    ['two pages for one path', '/about', '/about', /two pages for one path/],
    ['two pages for the root', '/', '/', /two pages for one path/],
    ['two pages for one dynamic path', '/a/[id]', '/a/[id]', /two pages for one path/],
    ['two names for one position', '/a/[id]', '/a/[slug]', /two names for one dynamic position/],
    ['two names further up', '/a/[id]/x', '/a/[slug]/y', /"slug" and "id"/],
    ['an optional catch-all and an index', '/docs', '/docs/[[...path]]', /and an index/],
    ['an optional catch-all and the root', '/', '/[[...path]]', /and an index/],
    ['both kinds of catch-all', '/a/[...rest]', '/a/[[...rest]]', /both end in a catch-all/],
    ['two catch-alls', '/a/[...rest]', '/a/[...path]', /both end in a catch-all/],
    ['two optional catch-alls', '/a/[[...rest]]', '/a/[[...path]]', /both end in a catch-all/],
  ]
  it.each(refused)('R4 refuses %s and names both files, in any order', (_rule, first, second, message) => {
    const files = [
      { pattern: first, file: 'pages/first.tsx' },
      { pattern: second, file: 'pages/second.tsx' },
    ]
    for (const list of [files, files.toReversed()]) {
      const [error] = routeConflicts(list)
      expect(error).toBeInstanceOf(RouteConflictError)
      expect(error?.message).toMatch(/pages\/first\.tsx/)
      expect(error?.message).toMatch(/pages\/second\.tsx/)
    }
    expect(routeConflicts(files)[0]?.message).toMatch(message)
  })

  it.each([
    ['/[id]/x/[id]', /"id" is given twice/],
    ['/[id]/[...id]', /"id" is given twice/],
    ['/[...rest]/x', /must be the last one/],
    ['/[[...rest]]/x', /must be the last one/],
    ['/a/[b', /"\[b" is neither/],
    ['/a/b]', /"b\]" is neither/],
    ['/a/[]', /"\[\]" is neither/],
    ['/a/[...]', /is neither/],
    ['/a/x-[id]', /"x-\[id\]" is neither/],
    ['/a/[[id]]', /"\[\[id\]\]" is neither/],
    ['/a/[..rest]', /is neither/],
  ])('R4 refuses the pattern %s and names its file', (pattern, message) => {
    const [error] = routeConflicts([{ pattern, file: 'pages/here.tsx' }])
    expect(error).toBeInstanceOf(RouteConflictError)
    expect(error?.message).toMatch(/^pages\/here\.tsx: /)
    expect(error?.message).toMatch(message)
  })

  it.each([
    [['/a/[id]', '/a/[...rest]']],
    [['/a/[id]/x', '/a/[id]/y', '/a/[id]']],
    [['/a', '/a/[...rest]']],
    [['/a/[[...rest]]', '/a/b', '/a/[id]/c']],
    [['/[id]', '/a/[slug]', '/b/[name]']],
  ])('R4 accepts %j', (patterns) => {
    expect(routeConflicts(patterns.map((pattern) => ({ pattern, file: `pages${pattern}.tsx` })))).toEqual([])
  })
})
