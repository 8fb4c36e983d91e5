// Reports of a tsconfig.json with which the compiler does not find the types that Portico writes.

import { afterEach, expect, test } from 'vitest'
import { lostTypes } from './site-types.ts'
import { createFolder, removeFolders } from './testing/folders.ts'

afterEach(removeFolders)

test.each([
  ['{ "extends": "./.portico/tsconfig.json", "compilerOptions": { "paths": { "@/*": ["./*"] } } }', []],
  ['{\n  // strict\n  "extends": ["./base.json", "./.portico/tsconfig.json"],\n}', []],
  ['{ /* of Next */ "compilerOptions": { "jsx": "preserve" } }', [/^tsconfig\.json: does not extend .*add "extends"/]],
  [
    '{ "extends": "./.portico/tsconfig.json", "compilerOptions": { "typeRoots": ["./types"] } }',
    [/^tsconfig\.json: typeRoots replaces .*remove typeRoots/],
  ],
])('F1 reports the reasons in tsconfig.json %j why types are not found', async (text, expected) => {
  const lines = await lostTypes(await createFolder({ 'tsconfig.json': text }))
  expect(lines).toEqual(expected.map((line) => expect.stringMatching(line)))
})

test('F1 a site without tsconfig.json has no report', async () => {
  expect(await lostTypes(await createFolder({ 'pages/index.js': '' }))).toEqual([])
})
