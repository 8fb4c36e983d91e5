import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { isNativePackage, isServerFile } from './server-modules.ts'

afterAll(removeFolders)

test.each([
  ['server/db.ts', 'export const a = 1', true],
  ['server/keys.json', '{}', true],
  ['server/save.ts', "'use server'\nexport async function save() {}", false],
  ['lib/server/db.ts', 'export const a = 1', false],
  ['lib/db.server.ts', 'export const a = 1', true],
  ['lib/db.server.mts', 'export const a = 1', true],
  ['../shared/save.ts', "'use server'\nexport async function save() {}", true],
  ['lib/my-server.ts', 'export const a = 1', false],
  ['lib/marked.ts', "import 'server-only'\nexport const a = 1", true],
  ['lib/named.ts', "// import 'server-only'\nexport const a = 'server-only'", false],
])('F2 %s with %j is server code: %s', async (file, text, expected) => {
  const dir = join(await createFolder({ [join('site', file)]: text }), 'site')
  expect(isServerFile(dir, join(dir, file))).toBe(expected)
})

test('X in compatibility mode neither folder nor name makes server code, and server-only does', async () => {
  const dir = await createFolder({ 'server/db.ts': '', 'lib/db.server.ts': '', 'lib/a.ts': "import 'server-only'" })
  const isServer = (file: string) => isServerFile(dir, join(dir, file), true)
  expect(['server/db.ts', 'lib/db.server.ts', 'lib/a.ts'].map(isServer)).toEqual([false, false, true])
})

test.each([
  [{ gypfile: true }, true],
  [{ dependencies: { bindings: '1' } }, true],
  [{ optionalDependencies: { '@img/native-linux-x64': '1' } }, true],
  [{ optionalDependencies: { '@native/linux-x64-gnu': '1' } }, true],
  [{ optionalDependencies: { '@native/compiler-linux-x64-gnu': '1' } }, false],
  [{ gypfile: true, browser: './browser.js' }, false],
  [{ gypfile: true, exports: { '.': { browser: './a.js', default: './b.js' } } }, false],
  [{}, false],
])('F2 a package with %j has a native binding and no form for browsers: %s', async (members, expected) => {
  const json = JSON.stringify({ name: 'native', ...members })
  const dir = await createFolder({ 'node_modules/native/package.json': json })
  expect(isNativePackage('native/lib', join(dir, 'pages/index.tsx'))).toBe(expected)
  expect(isNativePackage('other', join(dir, 'pages/index.tsx'))).toBe(false)
})
