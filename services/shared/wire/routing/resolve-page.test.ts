import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PASSED_ROUTE_LIMIT_BYTES } from '../constants.ts'
import { formatPassedRoute, parsePassedRoute } from '../passed-route.ts'
import { compileConditions, createFacts, meets, NO_FACTS, withSearch } from '../patterns/conditions.ts'
import { compileDestination, fillDestination, joinSearch, paramsSearch } from '../patterns/destination.ts'
import { compilePattern } from '../patterns/path-patterns.ts'
import { createRuleIndex, namesOf } from '../patterns/rule-index.ts'
import { pageOf } from '../testing/page-entry.ts'
import { matchPattern } from '../testing.ts'
import { createPageResolver, createTargetResolver, type Resolution } from './resolve-page.ts'
import { routeConflicts } from './route-conflicts.ts'
import { matchRoute, prepareRoutes } from './routes.ts'

const PAGES = ['/', '/about', '/places/[slug]', '/files/[...rest]', '/docs/[[...path]]'].map(pageOf)
const REWRITES = [
  { source: '/alias/:slug', destination: '/places/:slug?from=alias' },
  { source: '/about', destination: '/places/never' },
  { source: '/places/old', destination: '/places/new' },
  { source: '/beta', destination: '/about', has: [{ type: 'cookie' as const, key: 'beta' }] },
  { source: '/any/:rest*', destination: '/:rest*' },
  { source: '/away', destination: '/nowhere' },
]
const resolve = createPageResolver({ pages: PAGES, rewrites: REWRITES })
const facts = createFacts({
  search: '?q=1',
  header: (name) => ({ 'x-a': '1', 'x-list': ['a', 'b'] })[name],
  cookie: (name) => ({ beta: '1' })[name],
  host: () => 'Site.Example:8080',
})

describe('the page of a path', () => {
  it.each([
    ['/', '', '/', {}, '/'],
    ['/places/a%2Fb', '?x=1', '/places/[slug]', { slug: 'a/b' }, '/places/a%2Fb?x=1'],
    ['/places/caf%C3%A9/', '', '/places/[slug]', { slug: 'café' }, '/places/caf%C3%A9/'],
    ['/files/a%2F/b', '', '/files/[...rest]', { rest: ['a/', 'b'] }, '/files/a%2F/b'],
    ['/docs', '', '/docs/[[...path]]', {}, '/docs'],
    ['/alias/a%2Fb', '?x=1', '/places/[slug]', { slug: 'a/b' }, '/places/a%2Fb?from=alias&x=1'],
    // A double encoding is decoded once, rewritten or not.
    ['/alias/%2541', '', '/places/[slug]', { slug: '%41' }, '/places/%2541?from=alias'],
    ['/places/old', '', '/places/[slug]', { slug: 'new' }, '/places/new'],
    ['/beta', '', '/about', {}, '/about'],
  ])('R7 C2 %s%s', (pathname, search, pattern, params, target) => {
    const found = resolve(pathname, search, facts)
    expect(found).toMatchObject({ kind: 'page', entry: { pattern }, params })
    expect(found.kind === 'page' && found.pathname + found.search).toBe(target)
  })

  it('R7 is that of a fixed path before a rewrite, and no page where a condition is not met', () => {
    expect(resolve('/about', '', facts)).toMatchObject({ entry: { pattern: '/about' } })
    expect(resolve('/beta', '', NO_FACTS)).toEqual({ kind: 'no-match' })
    expect(resolve('/away', '', facts)).toEqual({ kind: 'no-match' })
  })

  it.each(['/places/%', '/places/%00', '/any/places/%zz'])('R3 %s is malformed', (pathname) => {
    expect(resolve(pathname, '', facts)).toEqual({ kind: 'malformed' })
  })

  it('R7 reads the facts of a request alike for every kind of rule', () => {
    expect([facts.host(), facts.header('X-A'), facts.header('x-LIST'), facts.query('q'), facts.query('r')]).toEqual([
      'site.example',
      '1',
      'a, b',
      '1',
      undefined,
    ])
  })
})

describe('what responds to a path', () => {
  const file = { size: 1, type: 'text/plain', etag: '"a"', encodings: {} }
  const find = createTargetResolver({
    pages: [...PAGES, pageOf('/[lang]/[page]')],
    apiRoutes: ['/api/health', '/api/users/[id]'].map(pageOf),
    publicFiles: { '/robots.txt': file, '/a b.txt': file, '/alias/file.txt': file },
    rewrites: [
      { source: '/old/:path*', destination: '/step/:path*', phase: 'beforeFiles' },
      { source: '/step/:path*', destination: '/files/:path*', phase: 'beforeFiles' },
      { source: '/robots.txt', destination: '/api/health?from=robots', phase: 'beforeFiles' },
      { source: '/mark', destination: '/marked?by=rule', phase: 'beforeFiles' },
      { source: '/marked', destination: '/about', has: [{ type: 'query', key: 'by', value: 'rule' }] },
      { source: '/inner/:path*', destination: '/_portico/:path*' },
      { source: '/optimised', destination: '/_next/image' },
      { source: '/health', destination: '/api/health' },
      { source: '/api/v1/:path*', destination: '/api/:path*' },
      { source: '/alias/:slug', destination: '/places/:slug' },
      { source: '/text', destination: '/a%20b.txt' },
      { source: '/one', destination: '/two' },
      { source: '/two', destination: '/places/two' },
      { source: '/de/places', destination: '/about' },
      { source: '/unused/:a/:b*', destination: '/about?a=own' },
      { source: '/used/:a/:b', destination: '/places/:a' },
      { source: '/query/:a/:b', destination: '/about?first=:a' },
      { source: '/group', destination: '/about', has: [{ type: 'header', key: 'x-a', value: '(?<n>.*)' }] },
      { source: '/whole', destination: '/about', has: [{ type: 'cookie', key: 'beta' }] },
      { source: '/places/:any', destination: '/never', phase: 'fallback' },
      { source: '/:path*', destination: '/files/:path*', phase: 'fallback' },
    ],
  })

  it.each([
    // Rules before files are applied one after the other, and come before files.
    ['/old/a/b', '', 'page', '/files/a/b', ''],
    ['/robots.txt', '', 'api', '/api/health', '?from=robots'],
    ['/a%20b.txt', '', 'file', '/a%20b.txt', ''],
    // Conditions are compared with the query to which a rule led.
    ['/mark', '', 'page', '/about', '?by=rule'],
    // Files and fixed routes come before other rules.
    ['/alias/file.txt', '', 'file', '/alias/file.txt', ''],
    ['/api/health', '?x=1', 'api', '/api/health', '?x=1'],
    ['/health', '?x=1', 'api', '/api/health', '?x=1'],
    ['/api/v1/users/7', '', 'api', '/api/users/7', ''],
    ['/api/v1/none', '', 'page', '/files/api/none', ''],
    ['/inner/image', '', 'page', '/files/_portico/image', ''],
    // Also where a page fits the address.
    ['/optimised', '', 'page', '/files/_next/image', ''],
    ['/text', '', 'file', '/a%20b.txt', ''],
    // The rules after one whose target nothing serves read that target.
    ['/one', '', 'page', '/places/two', ''],
    // Dynamic routes come after them, and before the fallback.
    ['/de/places', '', 'page', '/about', ''],
    ['/de/x', '', 'page', '/de/x', ''],
    ['/places/x', '', 'page', '/places/x', ''],
    ['/x/y/z', '', 'page', '/files/x/y/z', ''],
    // Parameters that the destination does not use.
    ['/unused/1/2/3', '?x=1&a=2', 'page', '/about', '?a=own&b=2&b=3&x=1'],
    ['/used/1/2', '?x=1', 'page', '/places/1', '?x=1'],
    ['/query/1/2', '', 'page', '/about', '?first=1&a=1&b=2'],
    ['/group', '', 'page', '/about', '?n=1'],
    ['/whole', '', 'page', '/about', ''],
  ])('X4 %s%s is a %s', (path, query, kind, pathname, search) => {
    expect(find(path, query, facts)).toMatchObject({ kind, pathname, search })
  })

  it('X4 is malformed where a rule leads to a malformed path', () => {
    expect(find('/old/%', '', facts)).toEqual({ kind: 'malformed' })
  })
})

const segment = fc.constantFrom('a', 'b', 'c', '%61', 'a%2Fb', '%C3%A9', '%2541', '"', '%', '%00', '__proto__')
const path = fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
const pattern = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'b', 'c', '[]'), { maxLength: 4 }),
    fc.constantFrom('', '', '[...rest]', '[[...rest]]'),
  )
  .map(([parts, last]) => {
    const named = parts.map((part, depth) => (part === '[]' ? (depth === 1 ? '[__proto__]' : `[p${depth}]`) : part))
    return `/${[...named, ...(last ? [last] : [])].join('/')}`
  })
const patterns = fc.array(pattern, { minLength: 1, maxLength: 12 }).map((given) => {
  const kept: string[] = []
  // The property is about sets that a build accepts.
  for (const one of given)
    if (routeConflicts([...kept, one].map((each) => ({ pattern: each, file: each }))).length === 0) kept.push(one)
  return kept
})
const condition = fc.constantFrom(
  { type: 'header' as const, key: 'x-a', value: '1' },
  { type: 'header' as const, key: 'x-b' },
  { type: 'cookie' as const, key: 'beta' },
  { type: 'query' as const, key: 'q', value: '2' },
  { type: 'host' as const, value: 'SITE.example' },
)
const rewrite = fc
  .record({
    parts: fc.array(fc.constantFrom('a', 'b', 'c', ':x'), { maxLength: 3 }),
    last: fc.constantFrom('', ':rest*', ':rest+'),
    to: fc.array(fc.constantFrom('a', 'b', ':x0', ':rest*'), { maxLength: 3 }),
    search: fc.constantFrom('', '?from=rule'),
    has: fc.option(fc.array(condition, { maxLength: 2 }), { nil: undefined }),
  })
  .map(({ parts, last, to, search, has }) => {
    const source = [...parts.map((part, at) => (part === ':x' ? `:x${at}` : part)), ...(last ? [last] : [])]
    return { source: `/${source.join('/')}`, destination: `/${to.join('/')}${search}`, ...(has && { has }) }
  })
const search = fc.constantFrom('', '?q=1', '?q=2&q=1')

/** Obvious and slow: every rule in turn, then the route tree. */
function slowResolve(
  { pages, rewrites }: Parameters<typeof createPageResolver>[0],
  pathname: string,
  query: string,
): Resolution {
  const tree = prepareRoutes(pages)
  const find = (at: string, of: string): Resolution => {
    const found = matchRoute(tree, at)
    if (found.kind !== 'match') return found
    const entry = pages.find((page) => page.pattern === found.pattern)!
    return { kind: 'page', entry, params: found.params, pathname: at, search: of, ...(lists.length > 0 && { lists }) }
  }
  const lists: string[] = []
  const direct = find(pathname, query)
  if (direct.kind === 'malformed' || (direct.kind === 'page' && !direct.entry.pattern.includes('['))) return direct
  let [at, of, isRewritten] = [pathname, query, false]
  for (const rule of rewrites) {
    const params = matchPattern(compilePattern(rule.source), at)
    const conditions = compileConditions(rule)
    if (!params || (conditions && !meets(conditions, isRewritten ? withSearch(facts, of) : facts, {}, {}))) continue
    const compiled = compileDestination(rule.destination, namesOf(rule))
    const target = fillDestination(compiled, params)!
    of = joinSearch(compiled.usesParams ? target.search : joinSearch(target.search, paramsSearch(params)), of)
    if (!compiled.usesParams) lists.push(...Object.keys(params).filter((name) => Array.isArray(params[name])))
    at = target.base
    isRewritten = true
    const found = find(at, of)
    if (found.kind !== 'no-match') return found
  }
  return isRewritten ? { kind: 'no-match' } : direct
}

describe('any table and any path', () => {
  it('R2 R7 C2 have the page that a slow reading of the rules finds', () => {
    fc.assert(
      fc.property(patterns, fc.array(rewrite, { maxLength: 4 }), path, search, (given, rewrites, pathname, query) => {
        const tables = { pages: given.map(pageOf), rewrites }
        expect(createPageResolver(tables)(pathname, query, facts)).toEqual(slowResolve(tables, pathname, query))
      }),
      { numRuns: 1000 },
    )
  })

  it('W9 have a resolution that arrives as it was sent, byte for byte of a cache key', () => {
    fc.assert(
      fc.property(patterns, fc.array(rewrite, { maxLength: 4 }), path, search, (given, rewrites, pathname, query) => {
        const resolution = createPageResolver({ pages: given.map(pageOf), rewrites })(pathname, query, facts)
        if (resolution.kind === 'malformed') return
        const isRewritten = resolution.kind === 'page' && resolution.pathname + resolution.search !== pathname + query
        const text = formatPassedRoute({ version: 'b1.e1/docs', resolution, isRewritten })!
        expect(text).toMatch(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/)
        const passed = parsePassedRoute(text)
        expect(passed?.version).toBe('b1.e1/docs')
        if (resolution.kind === 'no-match') return void expect(passed?.page).toBeUndefined()
        expect(passed?.page?.pattern).toBe(resolution.entry.pattern)
        expect(JSON.stringify(passed?.page?.params)).toBe(JSON.stringify(resolution.params))
        expect(passed?.page?.target ?? pathname + query).toBe(resolution.pathname + resolution.search)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a passed resolution', () => {
  const resolution = (slug: string): Resolution & { kind: 'page' } => ({
    kind: 'page',
    entry: pageOf('/places/[slug]'),
    params: { slug },
    pathname: '/x',
    search: '',
  })
  it('W9 is printable ASCII for any text', () => {
    for (const slug of ['é', '\u007f', '\u2028', '😀', '\ud800', 'a\r\nb', '"\\']) {
      const text = formatPassedRoute({ version: 'v', resolution: resolution(slug), isRewritten: false })!
      expect(text).toMatch(/^[\x20-\x7e]+$/)
      expect(parsePassedRoute(text)?.page?.params).toEqual({ slug })
    }
  })

  it('W9 is absent above the limit', () => {
    const passed = (length: number) =>
      formatPassedRoute({ version: 'v', resolution: resolution('x'.repeat(length)), isRewritten: false })
    const room = PASSED_ROUTE_LIMIT_BYTES - passed(0)!.length
    expect([passed(room)?.length, passed(room + 1)]).toEqual([PASSED_ROUTE_LIMIT_BYTES, undefined])
    const found = { version: 'v', resolution: resolution('x'.repeat(room + 1)), isRewritten: false }
    expect(formatPassedRoute(found, { guard: 'b' })).toBe('{"guard":"b"}')
  })

  it.each([
    '',
    '{',
    '[]',
    'null',
    '{"version":1}',
    '{"guard":1}',
    '{"moved":{}}',
    '{"question":"x"}',
    '{"page":{"pattern":"/a","params":{}}}',
    '{"version":"v","page":null}',
    '{"version":"v","page":{"pattern":1,"params":{}}}',
    '{"version":"v","page":{"pattern":"/a"}}',
    '{"version":"v","page":{"pattern":"/a","params":{"a":1}}}',
    '{"version":"v","page":{"pattern":"/a","params":{"a":["b",1]}}}',
    '{"version":"v","page":{"pattern":"/a","params":{},"target":"http://a"}}',
    `{"version":"${'v'.repeat(5 * PASSED_ROUTE_LIMIT_BYTES)}"}`,
  ])('W9 of another shape is refused: %.60s', (text) => {
    expect(parsePassedRoute(text)).toBeUndefined()
  })
})

it('R7 the index of rules keeps their order and finds what a comparison with each rule finds', () => {
  fc.assert(
    fc.property(fc.array(rewrite, { maxLength: 8 }), path, (rules, pathname) => {
      const slow = rules.filter((rule) => {
        const conditions = compileConditions(rule)
        const isMet = !conditions || meets(conditions, facts, {}, {})
        return isMet && matchPattern(compilePattern(rule.source), pathname) !== undefined
      })
      expect([...createRuleIndex(rules).matches(pathname, pathname, facts)].map(({ rule }) => rule)).toEqual(slow)
    }),
  )
})
