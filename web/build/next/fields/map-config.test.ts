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
