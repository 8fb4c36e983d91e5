import { expect, it } from 'vitest'
import { parseSiteConfig } from '../../config/config.ts'
import { emptyReport } from '../../mode.ts'
import { mapNextConfig } from './map-config.ts'

it('X4 the report names each host to which rewrites lead, and how credentials pass', () => {
  const report = emptyReport()
  const rule = (destination: unknown) => ({ source: '/a', destination })
  const rewrites = {
    beforeFiles: [rule('https://a.example/x'), rule('https://a.example/y'), rule('/b')],
    fallback: [rule('http://b.example:8080'), rule(1), 'no rule'],
  }
  expect(mapNextConfig({ rewrites }, report).site).toEqual({ rewrites })
  expect(report.mapped.map(({ field }) => field)).toEqual([
    'rewrites',
    'rewrites to https://a.example',
    'rewrites to http://b.example:8080',
  ])
  expect(report.mapped[1]?.note).toContain('rewriteOrigins of portico.config.*')
})

it.each<[Record<string, unknown>, string]>([
  [{ reactStrictMode: 'true' }, 'reactStrictMode = "true"'],
  [{ staticPageGenerationTimeout: 0 }, 'staticPageGenerationTimeout = 0'],
  [{ staticPageGenerationTimeout: 1e9 }, 'staticPageGenerationTimeout = 1000000000'],
  [{ compiler: { removeConsole: 'x' } }, 'compiler.removeConsole = "x"'],
  [{ compiler: { removeConsole: { exclude: [1] } } }, 'compiler.removeConsole = {"exclude":[1]}'],
  [{ i18n: { locales: ['en'], defaultLocale: 'en', domains: [] } }, 'i18n.domains'],
  [{ serverComponentsExternalPackages: ['a'] }, 'serverComponentsExternalPackages'],
  [{ experimental: { caseSensitiveRoutes: 'no' } }, 'experimental.caseSensitiveRoutes = "no"'],
])('X4 refuses %j by name', (config, field) => {
  const report = emptyReport()
  mapNextConfig(config, report)
  expect(report.refused.map((line) => line.field)).toEqual([field])
  expect(report.mapped).toEqual([])
})

it('X4 X9 staticPageGenerationTimeout is the time for a page of the build; 60 s as in Next.js', () => {
  const limitOf = (config: Record<string, unknown>) => mapNextConfig(config, emptyReport()).settings.pageLimitMs
  expect([limitOf({ staticPageGenerationTimeout: 90.5 }), limitOf({})]).toEqual([90_500, 60_000])
})

it('X4 maps i18n and removeConsole with names', () => {
  const report = emptyReport()
  const i18n = { locales: ['en'], defaultLocale: 'en', localeDetection: false }
  const withMore = { ...i18n, localePath: '/locales' }
  const compiler = { removeConsole: { exclude: ['error'] } }
  const { settings, site } = mapNextConfig({ i18n: withMore, compiler }, report)
  expect(report.ignored.map(({ field }) => field)).toEqual(['i18n.localePath'])
  expect([report.refused, settings.removeConsole, site]).toEqual([[], { exclude: ['error'] }, { i18n }])
})

it('X4 webpack is refused with what takes its place, and ignored next to turbopack, as in Next.js', () => {
  const webpack = { $notData: 'a function' }
  const [alone, next] = [emptyReport(), emptyReport()]
  mapNextConfig({ webpack }, alone)
  mapNextConfig({ webpack, turbopack: {} }, next)
  expect(alone.refused[0]?.remedy).toContain('turbopack.rules')
  expect([next.refused, next.ignored.map(({ field }) => field)]).toEqual([[], ['webpack']])
})

it('X4 images.domains become patterns; an empty name, which templates have, is ignored', () => {
  const report = emptyReport()
  const domains = ['', 'a.example']
  expect(mapNextConfig({ images: { domains } }, report).site).toEqual({
    images: { remotePatterns: [{ hostname: 'a.example' }] },
  })
  expect(mapNextConfig({ images: { domains: [''] } }, emptyReport()).site).toEqual({})
  expect(report.ignored.map(({ field }) => field)).toEqual(["images.domains: ''"])
})

it('X4 maps experimental.caseSensitiveRoutes', () => {
  const report = emptyReport()
  const isSet = (value: boolean) =>
    mapNextConfig({ experimental: { caseSensitiveRoutes: value } }, report).settings.caseSensitiveRoutes
  expect([isSet(true), isSet(false)]).toEqual([true, undefined])
  expect(report.mapped.map(({ field }) => field)).toEqual(['experimental.caseSensitiveRoutes'])
})

it.each([
  ['https://cdn.example/', 'https://cdn.example'],
  ['http://127.0.0.1:8080/a/b', 'http://127.0.0.1:8080/a/b'],
  ['/cdn/', '/cdn'],
  ['', undefined],
  ['/', undefined],
  ['/shop', undefined],
])('X4 assetPrefix %j is %j in both kinds of configuration', (assetPrefix, wanted) => {
  const { site } = mapNextConfig({ assetPrefix }, emptyReport())
  expect(parseSiteConfig({ basePath: '/shop', ...site }).assetPrefix).toBe(wanted)
})

it.each([
  'cdn',
  '//cdn.example',
  'https://a b',
  'https://u:p@h.example',
  'https://h.example/?a',
  'https://h.example:99999',
  1,
])('X4 refuses assetPrefix %j', (assetPrefix) =>
  expect(() => parseSiteConfig({ assetPrefix })).toThrow('assetPrefix = '),
)
