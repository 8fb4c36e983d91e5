import { describe, expect, it } from 'vitest'
import type { RouteParams } from '../route-params.ts'
import { fillPattern, matchRoute, prepareRoutes, type RouteMatch } from './routes.ts'

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

  it('R3 keeps names of the prototype as own params', () => {
    const one = matchRoute(SITE, '/files/x')
    const two = matchRoute(SITE, '/files/x/y')
    expect(one.kind === 'match' && Object.entries(one.params)).toEqual([['__proto__', 'x']])
    expect(one.kind === 'match' && Object.getPrototypeOf(one.params)).toBe(Object.prototype)
    expect(two.kind === 'match' && Object.entries(two.params)).toContainEqual(['constructor', 'y'])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it('R3 keeps no params of a branch that did not match', () => {
    const tree = treeOf(['/[a]/[b]/end', '/[...rest]'])
    expect(matchRoute(tree, '/1/2/3')).toEqual({
      kind: 'match',
      pattern: '/[...rest]',
      params: { rest: ['1', '2', '3'] },
    })
  })

  it('R2 matches in 10 000 routes with as many reads of the tree as in 10', () => {
    const reads = (routes: number) => {
      let count = 0
      // Whatever is reached from the tree counts, the steps of an iterator included.
      const counted = (value: unknown): unknown =>
        Object(value) !== value
          ? value
          : new Proxy(value as object, {
              get(target, key) {
                count++
                const found: unknown = Reflect.get(target, key, target)
                return typeof found === 'function'
                  ? (...args: unknown[]) => counted(Reflect.apply(found, target, args))
                  : counted(found)
              },
            })
      const tree = treeOf(Array.from({ length: routes }, (_, index) => `/section-${index}/[id]/part-${index}`))
      const match = matchRoute(counted(tree) as typeof tree, '/section-7/x/part-7')
      expect(match).toMatchObject({ kind: 'match', pattern: '/section-7/[id]/part-7' })
      return count
    }
    expect(reads(10_000)).toBe(reads(10))
  })
})

describe('filling', () => {
  it('R1 omits an absent optional catch-all', () => {
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
