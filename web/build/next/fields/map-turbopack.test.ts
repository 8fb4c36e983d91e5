import { expect, test } from 'vitest'
import { emptyReport } from '../../mode.ts'
import { mapTurbopack } from './map-turbopack.ts'
import { nextDefaults } from './next-defaults.ts'

const map = (rules: unknown) => {
  const mapping = { site: {}, settings: nextDefaults(), report: emptyReport() }
  mapTurbopack('turbopack', { rules }, mapping)
  return { rules: mapping.settings.loaderRules, refused: mapping.report.refused.map(({ field }) => field) }
}
const NAME = 'some-loader'
const plain = { name: NAME, options: {} }
const pattern = { $notData: '/\\.tsx?$/i' }

test.each([
  [{ '*.css': { loaders: [NAME], as: '*.css' } }, [{ glob: '*.css', loaders: [plain] }]],
  [{ '*.svg': { loaders: [NAME], as: '*.tsx' } }, [{ glob: '*.svg', loaders: [plain], as: '.tsx' }]],
  [{ '**/*.a': [NAME, { loader: 'b', options: { c: 1 } }] }, [{ loaders: [plain, { name: 'b', options: { c: 1 } }] }]],
  [{ '*': [NAME, { loaders: ['b'], condition: 'browser' }] }, [{ loaders: [plain] }, { loaders: [{ name: 'b' }] }]],
  [
    { '*': { loaders: [NAME], condition: { all: [{ not: 'foreign' }, { path: pattern }] } } },
    [
      {
        condition: {
          kind: 'all',
          conditions: [
            { kind: 'not', condition: { kind: 'place', name: 'foreign' } },
            { kind: 'file', path: /\.tsx?$/i },
          ],
        },
      },
    ],
  ],
])('X4 rules name loaders, files and conditions: %j', (rules, mapped) => {
  expect(map(rules)).toMatchObject({ rules: mapped, refused: [] })
})

test.each([
  { '*.svg': { loaders: [NAME], as: '*.css' } },
  { '*.css': { loaders: [NAME], as: 'js' } },
  { '*.md': { type: 'raw' } },
  { '*.a': { loaders: [] } },
  { '*.a': { loaders: [NAME], condition: 'elsewhere' } },
  { '*.a': { loaders: [NAME], condition: { query: '?a' } } },
  { '*.a': { loaders: [NAME], condition: { path: { $notData: 'a function' } } } },
  { '*.a': { loaders: [{ loader: NAME, options: { optimize: { $notData: 'a function' } } }] } },
  { '*.a': [{ loader: NAME, extra: 1 }] },
  { '*.a': NAME },
])('X4 other rules are refused by name: %j', (rules) =>
  expect(map(rules)).toEqual({ rules: [], refused: [`turbopack.rules['${Object.keys(rules)[0]}']`] }),
)

test('X4 aliases have at most one star; a target that is no text, and a name of an absolute path, are refused', () => {
  const mapping = { site: {}, settings: nextDefaults(), report: emptyReport() }
  const resolveAlias = { old: 'new', 'a*': './b/*', '/*': './*', '/c': 'd', '*/*': 'e', f: '*', g: { browser: 'h' } }
  mapTurbopack('turbopack', { resolveAlias }, mapping)
  expect(mapping.settings.aliases).toEqual({ old: 'new', 'a*': './b/*' })
  expect(mapping.report.ignored.map(({ field }) => field)).toEqual(["turbopack.resolveAlias['/*']"])
  expect(mapping.report.refused.map(({ field }) => field.split(' ')[0])).toEqual([
    "turbopack.resolveAlias['/c']",
    "turbopack.resolveAlias['*/*']",
    "turbopack.resolveAlias['f']",
    "turbopack.resolveAlias['g']",
  ])
})
