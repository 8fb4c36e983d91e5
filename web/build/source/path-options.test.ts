import { afterEach, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { readPathOptions, targetsOf } from './path-options.ts'

afterEach(removeFolders)

test.each([
  ['@/lib/a', ['/app/src/lib/a', '/app/lib/a']],
  ['@/components/b', ['/app/parts/b']],
  ['exact', ['/app/exact.ts']],
  ['exact/no', []],
  ['react', []],
  ['a.svg', ['/app/images/a']],
])('X6 the specifier %j means %j', (specifier, expected) => {
  const paths = {
    '@/*': ['src/*', './lib/../*'],
    '@/components/*': ['parts/*'],
    exact: ['exact.ts'],
    '*.svg': ['images/*'],
  }
  expect(targetsOf(specifier, { baseUrl: undefined, pathsBase: '/app', paths })).toEqual(expected)
})

test('X6 reads jsconfig.json with comments, and tsconfig.json first with what it extends', async () => {
  const dir = await createFolder({
    'jsconfig.json': '{ // comment\n "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["a/*",], }, }, }',
  })
  expect(readPathOptions(dir)).toEqual({ baseUrl: dir, pathsBase: dir, paths: { '@/*': ['a/*'] } })
  const other = await createFolder({
    'jsconfig.json': '{ "compilerOptions": { "baseUrl": "js" } }',
    'tsconfig.json': '{ "extends": ["./base/a", "not-installed"], "compilerOptions": { "strict": true } }',
    'base/a.json': '{ "extends": "./a.json", "compilerOptions": { "paths": { "~/*": ["../src/*"] } } }',
  })
  expect(readPathOptions(other)).toEqual({
    baseUrl: undefined,
    pathsBase: `${other}/base`,
    paths: { '~/*': ['../src/*'] },
  })
  expect(readPathOptions(await createFolder())).toMatchObject({ baseUrl: undefined, paths: {} })
})
