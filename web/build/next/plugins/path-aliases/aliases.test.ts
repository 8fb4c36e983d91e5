import { afterEach, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../../../testing/folders.ts'
import { aliasesOf } from './aliases.ts'

type NameAlias = ReturnType<typeof aliasesOf>[number]

afterEach(removeFolders)

/** What the bundler makes of the specifier. */
function meant(specifier: string, aliases: readonly NameAlias[]): string {
  const { find, replacement } = aliases.find((alias) => alias.find.test(specifier)) ?? { find: /^$/, replacement: '' }
  return specifier.replace(find, replacement)
}

const NAMED = { old: 'new', exact$: './lib/exact.js', '#*': './src/*', 'icons/*.svg': 'icons/*/index.js' }

test.each([
  ['old', 'new'],
  ['old/part', 'new/part'],
  ['older', 'older'],
  ['exact', '/app/lib/exact.js'],
  ['exact/part', 'exact/part'],
  ['#lib/a', '/app/src/lib/a'],
  ['icons/sun.svg', 'icons/sun/index.js'],
  ['icons/sun.png', 'icons/sun.png'],
])('X4 the specifier %j means %j by aliases of the configuration', (specifier, expected) => {
  expect(meant(specifier, aliasesOf('/app', NAMED))).toBe(expected)
})

test.each([
  ['~bootstrap/scss/grid', 'bootstrap/scss/grid'],
  ['~@fonts/inter/index.css', '@fonts/inter/index.css'],
  ['~/styles/values', '/app/styles/values'],
  ['a~b', 'a~b'],
  ['~~a', '~~a'],
])('X6 the specifier %j means %j, as for loaders of webpack', (specifier, expected) => {
  expect(meant(specifier, aliasesOf('/app', {}))).toBe(expected)
})

test('X6 names of paths that no package has hold for stylesheets, too; those with several targets are left to modules', async () => {
  const paths = {
    '@/*': ['./src/*'],
    '~parts/*': ['./parts/*'],
    $values: ['./values.scss'],
    '~/*': ['./src/*', './lib/*'],
    'styles/*': ['./styles/*'],
    '#inner/*': ['./inner/*'],
  }
  const dir = await createFolder({ 'tsconfig.json': JSON.stringify({ compilerOptions: { paths } }) })
  const aliases = aliasesOf(dir, {})
  expect(meant('@/a', aliases)).toBe(`${dir}/src/a`)
  expect(meant('~parts/a', aliases)).toBe(`${dir}/parts/a`)
  expect(meant('$values', aliases)).toBe(`${dir}/values.scss`)
  for (const other of ['~/a', 'styles/a', '#inner/a', '@scope/a']) expect(meant(other, aliases)).toBe(other)
  expect(meant('~bootstrap', aliases)).toBe('bootstrap')
})
