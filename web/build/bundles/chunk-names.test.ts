// Names of built files, for every name of a source that R1 allows.

import { expect, test } from 'vitest'
import { fileName, pageNames } from '../testing.ts'

test('R1 F3 a page has a readable name where its pattern gives one', () => {
  expect([...pageNames(['/', '/about', '/places/[slug]', '/docs/[[...slug]]', '/old_page', '/caf\u00e9'])]).toEqual([
    ['/', 'page-index'],
    ['/about', 'page-about'],
    ['/places/[slug]', 'page-places-slug'],
    ['/docs/[[...slug]]', 'page-docs-slug'],
    ['/old_page', 'page-old_page'],
    ['/caf\u00e9', 'page-caf'],
  ])
})

test.each([
  [
    'without letters of ASCII',
    ['/', '/\u65e5\u672c', '/\u00e9', '/[\u043a\u043b\u044e\u0447]', '/\u{1f600}', '/-', '/index'],
  ],
  ['that differ in such letters only', ['/caf\u00e9', '/caf\u00e8', '/caf']],
  ['that differ in composed letters only', ['/\u00e9', '/e\u0301', '/e']],
  ['that differ in case only', ['/About', '/about', '/ABOUT']],
  ['that differ in marks only', ['/a/b', '/a-b', '/[a]/b', '/a/[...b]', '/a/[[...b]]', '/a.b', '/a b']],
  ['that are long', [`/${'a'.repeat(200)}/b`, `/${'a'.repeat(200)}/c`, `/${'\u65e5'.repeat(80)}`]],
])('R1 F3 pages %s have different names', (_, patterns) => {
  const names = [...pageNames(patterns).values()]
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(patterns.length)
  for (const name of names) expect(name).toMatch(/^page-[A-Za-z0-9_-]{1,100}$/)
})

test.each([
  ['components/box', 'box'],
  ['[slug]', 'slug'],
  ['\u65e5\u672c', 'file'],
  ['a b.module', 'a-b-module'],
])('F3 the file of %s is named %s', (source, name) => {
  expect(fileName(source)).toBe(name)
})
