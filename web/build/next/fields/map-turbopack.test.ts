import { expect, test } from 'vitest'
import { emptyReport } from '../next-report.ts'
import { mapTurbopack } from './map-turbopack.ts'
import { defaultSettings } from './next-settings.ts'

const map = (rules: unknown) => {
  const mapping = { site: {}, settings: defaultSettings(true), report: emptyReport() }
  mapTurbopack('turbopack', { rules }, mapping)
  return { loader: mapping.settings.cssLoader, refused: mapping.report.refused.map(({ field }) => field) }
}
const NAME = '@tailwindcss/turbopack'

test.each([
  [{ '*.css': { loaders: [NAME], as: '*.css' } }, { name: NAME, options: {} }],
  [{ '**/*.css': [NAME] }, { name: NAME, options: {} }],
  [
    { './**/*.css': { loaders: [{ loader: '@tailwindcss/webpack', options: { optimize: false } }] } },
    { name: '@tailwindcss/webpack', options: { optimize: false } },
  ],
])('X4 the loader of Tailwind for stylesheets is run: %j', (rules, loader) =>
  expect(map(rules)).toEqual({ loader, refused: [] }),
)

test.each([
  { '*.svg': { loaders: [NAME], as: '*.css' } },
  { '*.module.css': { loaders: [NAME], as: '*.css' } },
  { '*.css': { loaders: [NAME], as: '*.js' } },
  { '*.css': { loaders: [NAME, 'other'], as: '*.css' } },
  { '*.css': { loaders: ['other'], as: '*.css' } },
  { '*.css': { loaders: [NAME], as: '*.css', condition: 'browser' } },
  { '*.css': { loaders: [{ loader: NAME, options: { optimize: { $notData: 'a function' } } }] } },
  { '*.css': [{ loader: NAME, extra: 1 }] },
  { '*.css': NAME },
])('X4 other rules are refused by name: %j', (rules) =>
  expect(map(rules)).toEqual({ loader: undefined, refused: [`turbopack.rules['${Object.keys(rules)[0]}']`] }),
)

test('X4 a second rule for stylesheets is refused', () => {
  const rules = { '*.css': [NAME], '**/*.css': [NAME] }
  expect(map(rules)).toMatchObject({ loader: { name: NAME }, refused: ["turbopack.rules['**/*.css']"] })
  expect(map([NAME]).refused).toEqual(['turbopack.rules'])
})

test('X4 aliases have at most one star; a target that is no text, and a name of an absolute path, are refused', () => {
  const mapping = { site: {}, settings: defaultSettings(true), report: emptyReport() }
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
