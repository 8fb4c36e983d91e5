import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeSegments,
  fillPattern,
  matchRoute,
  parsePattern,
  prepareRoutes,
  RouteConflictError,
  type RouteMatch,
  type RouteParams,
} from './routes.ts'

function treeOf(patterns: readonly string[]) {
  return prepareRoutes(patterns.map((pattern) => ({ pattern, file: `pages${pattern}.tsx` })))
}

const SITE = treeOf([
  '/',
  '/about',
  '/about/team',
  '/café',
  '/a b',
  '/index',
  '/places',
  '/places/new',
  '/places/[slug]',
  '/places/[slug]/edit',
  '/places/[slug]/[photo]',
  '/places/[slug]/photos/[...rest]',
  '/docs/[[...path]]',
  '/docs/start',
  '/docs/[section]/index',
  '/shop/[...path]',
  '/shop/[id]/reviews',
  '/shop/sale/[id]',
  '/[language]/help',
  '/[language]/help/[...path]',
  '/files/[__proto__]',
  '/files/[__proto__]/[constructor]',
])

type Row = [path: string, pattern: string, params?: RouteParams]
const MATCHES: Row[] = [
  ['/', '/'],
  ['', '/'],
  ['/about', '/about'],
  ['/about/', '/about'],
  ['/%61bout', '/about'],
  ['/about/team', '/about/team'],
  ['/about/help', '/[language]/help', { language: 'about' }],
  ['/caf%C3%A9', '/café'],
  ['/caf%c3%a9', '/café'],
  ['/a%20b', '/a b'],
  ['/index', '/index'],
  ['/places', '/places'],
  ['/places/new', '/places/new'],
  ['/places/n%65w', '/places/new'],
  ['/places/NEW', '/places/[slug]', { slug: 'NEW' }],
  ['/places/mo%20yun', '/places/[slug]', { slug: 'mo yun' }],
  ['/places/mo+yun', '/places/[slug]', { slug: 'mo+yun' }],
  ['/places/a%2Fb', '/places/[slug]', { slug: 'a/b' }],
  ['/places/a%252Fb', '/places/[slug]', { slug: 'a%2Fb' }],
  ['/places/%E6%97%A5', '/places/[slug]', { slug: '日' }],
  ['/places/%F0%9F%98%80', '/places/[slug]', { slug: '😀' }],
  ['/places/[slug]', '/places/[slug]', { slug: '[slug]' }],
  ['/places/..', '/places/[slug]', { slug: '..' }],
  ['/places/x/edit', '/places/[slug]/edit', { slug: 'x' }],
  ['/places/new/edit', '/places/[slug]/edit', { slug: 'new' }],
  ['/places/x/1', '/places/[slug]/[photo]', { slug: 'x', photo: '1' }],
  ['/places/x/photos', '/places/[slug]/[photo]', { slug: 'x', photo: 'photos' }],
  ['/places/x/photos/1', '/places/[slug]/photos/[...rest]', { slug: 'x', rest: ['1'] }],
  ['/places/x/photos/1/2', '/places/[slug]/photos/[...rest]', { slug: 'x', rest: ['1', '2'] }],
  ['/places/x/photos/a%2Fb/c', '/places/[slug]/photos/[...rest]', { slug: 'x', rest: ['a/b', 'c'] }],
  ['/docs', '/docs/[[...path]]', {}],
  ['/docs/', '/docs/[[...path]]', {}],
  ['/docs/start', '/docs/start'],
  ['/docs/start/x', '/docs/[[...path]]', { path: ['start', 'x'] }],
  ['/docs/a/index', '/docs/[section]/index', { section: 'a' }],
  ['/docs/start/index', '/docs/[section]/index', { section: 'start' }],
  ['/docs/a', '/docs/[[...path]]', { path: ['a'] }],
  ['/docs/a/b/c', '/docs/[[...path]]', { path: ['a', 'b', 'c'] }],
  ['/shop/a', '/shop/[...path]', { path: ['a'] }],
  ['/shop/a/b', '/shop/[...path]', { path: ['a', 'b'] }],
  ['/shop/a/reviews', '/shop/[id]/reviews', { id: 'a' }],
  ['/shop/a/reviews/1', '/shop/[...path]', { path: ['a', 'reviews', '1'] }],
  ['/shop/sale', '/shop/[...path]', { path: ['sale'] }],
  ['/shop/sale/7', '/shop/sale/[id]', { id: '7' }],
  ['/shop/sale/reviews', '/shop/sale/[id]', { id: 'reviews' }],
  ['/shop/sale/7/x', '/shop/[...path]', { path: ['sale', '7', 'x'] }],
  ['/de/help', '/[language]/help', { language: 'de' }],
  ['/docs/help', '/docs/[[...path]]', { path: ['help'] }],
  ['/shop/help', '/shop/[...path]', { path: ['help'] }],
  ['/places/help', '/places/[slug]', { slug: 'help' }],
  ['/de/help/a/b', '/[language]/help/[...path]', { language: 'de', path: ['a', 'b'] }],
  ['/about/help/a', '/[language]/help/[...path]', { language: 'about', path: ['a'] }],
]
const MISSES = [
  '/About',
  '/none',
  '/about/team/x',
  '/index/x',
  '/places/x/y/z',
  '/places/x/edit/y',
  '/shop',
  '/shop/',
  '/de',
  '/de/helpful',
  '/cafe',
  '/a+b',
  '/files',
  '/files/a/b/c',
  '/api/about',
]
const MALFORMED = [
  '/%',
  '/%4',
  '/%zz',
  '/about/%',
  '/places/%E6%97',
  '/places/%C0%AF',
  '/places/%ED%A0%80',
  '/none/%00',
  '/places/a%00b',
  '/docs/%FF',
]

describe('matching', () => {
  it.each(MATCHES)('R2 R3 %s is %s', (path, pattern, params = {}) => {
    expect(matchRoute(SITE, path)).toEqual({ kind: 'match', pattern, params } satisfies RouteMatch)
  })

  it.each(MISSES)('R2 %s is no page', (path) => {
    expect(matchRoute(SITE, path)).toEqual({ kind: 'no-match' })
  })

  it.each(MALFORMED)('R3 %s is malformed', (path) => {
    expect(matchRoute(SITE, path)).toEqual({ kind: 'malformed' })
  })

  it('R3 gives names of the prototype as params of their own', () => {
    const one = matchRoute(SITE, '/files/x')
    const two = matchRoute(SITE, '/files/x/y')
    expect(one.kind === 'match' && Object.entries(one.params)).toEqual([['__proto__', 'x']])
    expect(one.kind === 'match' && Object.getPrototypeOf(one.params)).toBe(Object.prototype)
    expect(two.kind === 'match' && Object.entries(two.params)).toContainEqual(['constructor', 'y'])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it('R3 leaves no params of a branch that was given up', () => {
    const tree = treeOf(['/[a]/[b]/end', '/[...rest]'])
    expect(matchRoute(tree, '/1/2/3')).toEqual({
      kind: 'match',
      pattern: '/[...rest]',
      params: { rest: ['1', '2', '3'] },
    })
  })

  it('R2 matches in 10 000 routes within twice the time of 10', () => {
    const few = treeOf(Array.from({ length: 10 }, (_, index) => `/section-${index}/[id]/part-${index}`))
    const many = treeOf(Array.from({ length: 10_000 }, (_, index) => `/section-${index}/[id]/part-${index}`))
    const path = '/section-7/x/part-7'
    const batch = (tree: typeof few) => {
      const started = performance.now()
      for (let count = 0; count < 5000; count++) matchRoute(tree, path)
      return performance.now() - started
    }
    // The best of many short batches: what else the machine does must not decide.
    const best = (tree: typeof few) => Math.min(...Array.from({ length: 15 }, () => batch(tree)))
    best(few)
    best(many)
    expect(best(many)).toBeLessThan(2 * best(few))
  })
})

/** Obvious and slow: every pattern is tried by itself, then all that fit are compared position by position. */
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
/** The patterns that can stand together, in the order they came. */
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

  it('R4 refuses a set whatever the order of its files', () => {
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
    ['an optional catch-all beside an index', '/docs', '/docs/[[...path]]', /beside an index/],
    ['an optional catch-all beside the root', '/', '/[[...path]]', /beside an index/],
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
      expect(() => prepareRoutes(list)).toThrow(RouteConflictError)
      expect(() => prepareRoutes(list)).toThrow(/pages\/first\.tsx/)
      expect(() => prepareRoutes(list)).toThrow(/pages\/second\.tsx/)
    }
    expect(() => prepareRoutes(files)).toThrow(message)
  })

  it.each([
    ['/[id]/x/[id]', /"id" stands twice/],
    ['/[id]/[...id]', /"id" stands twice/],
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
    expect(() => prepareRoutes([{ pattern, file: 'pages/here.tsx' }])).toThrow(RouteConflictError)
    expect(() => prepareRoutes([{ pattern, file: 'pages/here.tsx' }])).toThrow(/^pages\/here\.tsx: /)
    expect(() => prepareRoutes([{ pattern, file: 'pages/here.tsx' }])).toThrow(message)
  })

  it.each([
    [['/a/[id]', '/a/[...rest]']],
    [['/a/[id]/x', '/a/[id]/y', '/a/[id]']],
    [['/a', '/a/[...rest]']],
    [['/a/[[...rest]]', '/a/b', '/a/[id]/c']],
    [['/[id]', '/a/[slug]', '/b/[name]']],
  ])('R4 takes %j', (patterns) => {
    expect(() => treeOf(patterns)).not.toThrow()
  })
})

describe('filling', () => {
  it('R1 leaves an absent optional catch-all out', () => {
    expect(fillPattern('/docs/[[...path]]', {})).toBe('/docs')
    expect(fillPattern('/[[...path]]', { path: [] })).toBe('/')
  })

  it.each([
    ['/a/[id]', {}, '"id" is missing'],
    ['/a/[id]', { id: ['x'] }, 'must be a string'],
    ['/a/[...rest]', {}, '"rest" is missing'],
    ['/a/[...rest]', { rest: 'x' }, 'must be a list of strings'],
    ['/a/[id]', { id: '' }, '"id" must not be empty'],
    ['/a/[...rest]', { rest: [] }, '"rest" must not be empty'],
    ['/a/[...rest]', { rest: ['x', ''] }, '"rest" must not be empty'],
  ])('R3 refuses to fill %s from %j: %s', (pattern, params, message) => {
    expect(() => fillPattern(pattern, params)).toThrow(message)
  })
})
