import { expect, test } from 'vitest'
import { type ImportInServerCode, type NodeFiles, type PackageSettings, placeImport } from './place-import.ts'

/** What Node finds by each way, as `format file`; `!` before it: Node cannot run the file. */
const FOUND: Readonly<Record<string, { require?: string; import?: string }>> = {
  common: { require: 'commonjs common/index.js', import: 'commonjs common/index.js' },
  dual: { require: 'commonjs dual/index.cjs', import: 'module dual/index.mjs' },
  modern: { import: 'module modern/index.js' },
  'modern/part': { import: 'module modern/part.js' },
  'with-default': { require: 'module with-default/index.js', import: 'module with-default/index.js' },
  'common-for-import': { import: 'commonjs common-for-import/index.cjs' },
  styled: { require: '!commonjs styled/index.js' },
  'styled-modern': { import: '!module styled-modern/index.js' },
  '@scope/native': { require: 'commonjs @scope/native/index.js' },
  aliased: { require: 'commonjs aliased/index.js' },
  gone: {},
}
const read = (text: string) => {
  const [, bad, format, path] = /^(!?)(\w+) (.*)$/.exec(text)!
  return { isBad: bad === '!', format, file: `/site/node_modules/${path}` }
}
const all = Object.values(FOUND).flatMap((each) => Object.values(each).map(read))
const NODE: NodeFiles = {
  resolve: (specifier, _importer, by) => FOUND[specifier]?.[by] && read(FOUND[specifier][by]).file,
  formatOf: (file) => all.find((each) => each.file === file)!.format as 'commonjs' | 'module',
  faultOf: (file) => (all.find((each) => each.file === file)!.isBad ? 'imports a stylesheet' : undefined),
}
const NO_LISTS: PackageSettings = { serverExternalPackages: [], transpilePackages: [] }
const placed = (specifier: string, resolved?: string, settings: Partial<PackageSettings> = {}) => {
  const given: ImportInServerCode = {
    specifier,
    importer: '/site/pages/index.tsx',
    resolved: resolved?.startsWith('/') ? resolved : resolved && `/site/node_modules/${resolved}`,
  }
  const placement = placeImport(given, { ...NO_LISTS, ...settings }, NODE)
  return 'file' in placement ? `${placement.kind} ${placement.file.replace('/site/node_modules/', '')}` : placement.kind
}

test.each([
  ['react', 'react/index.js', 'react'],
  ['react-dom/server', 'react-dom/server.node.js', 'react'],
  ['portico/server', undefined, 'framework'],
  ['next/link', undefined, 'framework'],
  ['server-only', undefined, 'framework'],
  ['common', 'common/index.js', 'require common/index.js'],
  ['@scope/native', '@scope/native/index.js', 'require @scope/native/index.js'],
  // The bundler prefers the form with ES modules; Node's `require` does not see it.
  ['dual', 'dual/index.mjs', 'require dual/index.cjs'],
  ['modern', 'modern/index.js', 'import modern/index.js'],
  ['modern/part', 'modern/part.js', 'import modern/part.js'],
  ['with-default', 'with-default/index.js', 'import with-default/index.js'],
  ['common-for-import', 'common-for-import/index.cjs', 'require common-for-import/index.cjs'],
  ['./lib', '/site/lib.ts', 'bundled'],
  ['#own', '/site/own.ts', 'bundled'],
  ['node:fs', undefined, 'bundled'],
  ['gone', undefined, 'bundled'],
  // Only bundlers read the `module` field that led here.
  ['gone', 'gone/esm/index.js', 'bundled'],
  ['linked', '/workspace/linked/index.ts', 'bundled'],
  ['common/a.css', 'common/a.css', 'bundled'],
  ['common/data.json', 'common/data.json', 'bundled'],
  ['modern/view', 'modern/view.jsx', 'bundled'],
  ['styled', 'styled/index.js', 'bundled'],
  ['styled-modern', 'styled-modern/index.js', 'bundled'],
  ['aliased', 'other/index.js', 'bundled'],
])('F1 the module of an import is where Node can run it: %s at %s', (specifier, resolved, expected) => {
  expect(placed(specifier, resolved)).toBe(expected)
})

test('F1 serverExternalPackages has Node load what only looks as if Node could not', () => {
  const settings = { serverExternalPackages: ['styled', 'common'] }
  expect(placed('styled', 'styled/index.js', settings)).toBe('require styled/index.js')
  expect(placed('common', '/workspace/common/index.ts', settings)).toBe('require common/index.js')
})

test('F1 transpilePackages has a package bundled', () => {
  expect(placed('common', 'common/index.js', { transpilePackages: ['common'] })).toBe('bundled')
  expect(placed('modern/part', 'modern/part.js', { transpilePackages: ['modern'] })).toBe('bundled')
})
