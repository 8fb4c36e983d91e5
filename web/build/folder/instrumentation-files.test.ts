// The files of the app folder that run first (X16).

import { afterEach, expect, test } from 'vitest'
import { ownSettings } from '../mode.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { otherMode } from '../testing/other-mode.ts'
import { readAppFolder } from './folder.ts'

afterEach(removeFolders)

const ON = otherMode(['page.tsx', 'ts', 'mdx'])
const OFF = ownSettings()

test.each([
  [['pages/index.ts', 'instrumentation.ts', 'instrumentation-client.js'], ON],
  [['pages/index.ts', 'instrumentation.js', 'instrumentation-client.tsx'], OFF],
  [['src/pages/index.ts', 'src/instrumentation.ts', 'src/instrumentation-client.page.tsx'], ON],
])('X16 %j are found', async (files, next) => {
  const dir = await createFolder(Object.fromEntries(files.map((file) => [file, 'export default () => null'])))
  const { instrumentation, instrumentationClient } = await readAppFolder(dir, { next })
  expect([instrumentation, instrumentationClient]).toEqual(files.slice(1))
})

test('X16 files at other places and of other endings are not', async () => {
  const files = ['pages/index.ts', 'src/instrumentation.ts', 'lib/instrumentation.ts', 'instrumentation.mdx']
  const dir = await createFolder(Object.fromEntries(files.map((file) => [file, 'export default () => null'])))
  const { instrumentation, instrumentationClient } = await readAppFolder(dir, { next: ON })
  expect([instrumentation, instrumentationClient]).toEqual([undefined, undefined])
})

test('X16 reportWebVitals of _app is noted in compatibility mode', async () => {
  const app = 'export default () => null\nexport function reportWebVitals() {}'
  const dir = await createFolder({ 'pages/index.ts': 'export default () => null', 'pages/_app.ts': app })
  expect((await readAppFolder(dir, { next: ON })).hasVitals).toBe(true)
  expect((await readAppFolder(dir, { next: OFF })).hasVitals).toBeUndefined()
})

test.each([
  ['export const onError = () => {}', true],
  ['const report = () => {}\nexport { report as onError }', true],
  ["export * from './errors'", true],
  ["import './errors'\nexport const onRouterTransitionStart = () => {}", undefined],
])('X16 of instrumentation-client %j the hook for errors is noted: %j', async (code, expected) => {
  const dir = await createFolder({ 'pages/index.ts': 'export default () => null', 'instrumentation-client.ts': code })
  expect((await readAppFolder(dir)).hasErrorHook).toBe(expected)
})
