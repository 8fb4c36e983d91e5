// The page of a path in a site with locales, rules included (X14).

import { describe, expect, it, test } from 'vitest'
import { formatPassedRoute, parsePassedRoute } from '../passed-route.ts'
import { createFacts, NO_FACTS } from '../patterns/conditions.ts'
import { createRuleIndex } from '../patterns/rule-index.ts'
import { paramsKey } from './page-key.ts'
import { createPageResolver, createTargetResolver } from './resolve-page.ts'

type ResolverTables = Parameters<typeof createTargetResolver>[0]

const pageOf = (pattern: string) => ({
  pattern,
  file: '',
  data: 'none' as const,
  files: { module: '', imports: [], styles: [] },
})
const TABLES: ResolverTables = {
  pages: ['/', '/about', '/places/[slug]', '/fr-fr'].map(pageOf),
  apiRoutes: ['/api/tide'].map(pageOf),
  publicFiles: { '/a.txt': {}, '/fr/own.txt': {} } as unknown as NonNullable<ResolverTables['publicFiles']>,
  i18n: { locales: ['en', 'fr', 'nl'], defaultLocale: 'en', localeDetection: true },
  rewrites: [
    { source: '/alias', destination: '/about' },
    { source: '/tide.json', destination: '/api/tide' },
    { source: '/text', destination: '/a.txt' },
    { source: '/out/:path*', destination: 'https://out.example/:path*' },
    { source: '/fr/in-nl', destination: '/nl/about', locale: false },
    { source: '/fr/kept', destination: '/about', locale: false },
    { source: '/en/of-default', destination: '/about', locale: false },
    { source: '/:any/written/:path*', destination: '/:path*', locale: false },
    { source: '/inner/:path*', destination: '/_portico/:path*' },
  ],
}
const resolve = createTargetResolver(TABLES)
const short = (path: string) => {
  const target = resolve(path, '', NO_FACTS)
  const { kind } = target
  if (kind === 'page') return [kind, target.locale, target.entry.pattern, target.pathname]
  if (kind === 'no-match') return [kind, target.locale, target.pathname]
  return kind === 'malformed' ? [kind] : [kind, target.pathname]
}

describe('a path in a site with locales', () => {
  it.each([
    ['/', 'page', 'en', '/', '/'],
    ['/fr', 'page', 'fr', '/', '/'],
    ['/about', 'page', 'en', '/about', '/about'],
    ['/EN/about', 'page', 'en', '/about', '/about'],
    ['/nl/places/x', 'page', 'nl', '/places/[slug]', '/places/x'],
    ['/fr-fr', 'page', 'en', '/fr-fr', '/fr-fr'],
    ['/fr/alias', 'page', 'fr', '/about', '/about'],
    ['/fr/in-nl', 'page', 'nl', '/about', '/about'],
    ['/fr/kept', 'page', 'fr', '/about', '/about'],
    ['/of-default', 'page', 'en', '/about', '/about'],
    ['/en/of-default', 'page', 'en', '/about', '/about'],
    ['/fr/of-default', 'no-match', 'fr', '/of-default'],
    ['/in-nl', 'no-match', 'en', '/in-nl'],
    ['/nl/fr/about', 'no-match', 'nl', '/fr/about'],
    ['/a.txt', 'file', '/a.txt'],
    ['/en/a.txt', 'file', '/a.txt'],
    ['/fr/a.txt', 'no-match', 'fr', '/a.txt'],
    ['/fr/own.txt', 'file', '/fr/own.txt'],
    ['/text', 'file', '/a.txt'],
    ['/fr/text', 'no-match', 'fr', '/a.txt'],
    ['/api/tide', 'api', '/api/tide'],
    ['/fr/api/tide', 'no-match', 'fr', '/api/tide'],
    ['/en/api/tide', 'no-match', 'en', '/api/tide'],
    ['/fr/tide.json', 'api', '/api/tide'],
    ['/fr/written/a.txt', 'file', '/a.txt'],
    ['/written/a.txt', 'file', '/a.txt'],
    ['/fr/written/api/tide', 'api', '/api/tide'],
    ['/fr/written/about', 'page', 'fr', '/about', '/about'],
    ['/fr/out/a/b', 'external', '/a/b'],
    ['/fr/_portico/data/x', 'no-match', 'fr', '/_portico/data/x'],
    ['/fr/inner/static/a.js', 'no-match', 'fr', '/_portico/static/a.js'],
  ])('X14 %s is %s', (path, ...expected) => {
    expect(short(path)).toEqual(expected)
  })

  test('X14 a site without locales has no locale in its resolutions', () => {
    const { i18n: _, ...plain } = TABLES
    const found = createPageResolver(plain)
    expect(found('/about', '', NO_FACTS)).not.toHaveProperty('locale')
    expect(found('/nope', '', NO_FACTS)).toEqual({ kind: 'no-match' })
  })
})

test.each([
  ['/%66r/vault', false],
  ['/%46R/vault', false],
  ['/en/%66r/vault', true],
  ['/%61pi/vault', false],
  ['/fr/%61pi/vault', false],
  ['/%5fportico/vault', false],
  ['/_next/vault', false],
  ['/%5Fnext/vault', false],
  ['/en/_next/vault', false],
  ['/%66oo/vault', true],
  ['/apiary/vault', true],
])(
  'X14 X15 R3 no page with a parameter has the path %s of a locale, of handlers or of the framework: %s',
  (path, isPage) => {
    const found = createPageResolver({
      ...TABLES,
      pages: [pageOf('/[section]/vault')],
      rewrites: [],
      semantics: { dataUrls: true },
    })
    expect(found(path, '', NO_FACTS).kind).toBe(isPage ? 'page' : 'no-match')
  },
)

test('X14 W9 a passed resolution has the locale, also where no page is', () => {
  const version = 'build.env'
  const passed = (path: string) => {
    const resolution = createPageResolver(TABLES)(path, '', NO_FACTS)
    if (resolution.kind === 'malformed') throw new Error('malformed')
    return parsePassedRoute(formatPassedRoute({ version, resolution, isRewritten: false })!)
  }
  expect(passed('/fr/about')).toEqual({ version, locale: 'fr', page: { pattern: '/about', params: {} } })
  expect(passed('/nl/nope')).toEqual({ version, locale: 'nl' })
  expect(parsePassedRoute('{"version":"a","locale":1}')).toBeUndefined()
})

test('X14 C2 pages of two locales have two keys', () => {
  const keys = ['en', 'fr'].flatMap((locale) => [
    paramsKey('/about', {}, locale),
    paramsKey('/places/[slug]', { slug: 'en' }, locale),
    paramsKey('/places/[slug]', { slug: 'fr' }, locale),
  ])
  expect(new Set(keys).size).toBe(keys.length)
})

it('X14 R7 a rule after the one that applies is not compared with the client', () => {
  const facts = createFacts({ ...NO_FACTS, search: '', noteCompared: () => expect.unreachable() })
  const rules = [{ source: '/a' }, { source: '/a', has: [{ type: 'header' as const, key: 'x-a' }] }]
  const [match] = createRuleIndex(rules, TABLES.i18n).matches('/fr/a', '/fr/a', facts)
  expect(match).toMatchObject({ rule: rules[0], locale: 'fr' })
})
