import { expect, it } from 'vitest'
import { emptyReport } from '../next-report.ts'
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
  [{ compiler: { removeConsole: 'x' } }, 'compiler.removeConsole = "x"'],
  [{ compiler: { removeConsole: { exclude: [1] } } }, 'compiler.removeConsole = {"exclude":[1]}'],
  [{ i18n: { locales: ['en'], defaultLocale: 'en', domains: [] } }, 'i18n.domains'],
  [{ serverComponentsExternalPackages: ['a'] }, 'serverComponentsExternalPackages'],
])('X4 refuses %j by name', (config, field) => {
  const report = emptyReport()
  mapNextConfig(config, report)
  expect(report.refused.map((line) => line.field)).toEqual([field])
  expect(report.mapped).toEqual([])
})

it('X4 maps i18n and removeConsole with names', () => {
  const report = emptyReport()
  const i18n = { locales: ['en'], defaultLocale: 'en', localeDetection: false }
  const { settings, site } = mapNextConfig({ i18n, compiler: { removeConsole: { exclude: ['error'] } } }, report)
  expect([report.refused, settings.removeConsole, site]).toEqual([[], { exclude: ['error'] }, { i18n }])
})
