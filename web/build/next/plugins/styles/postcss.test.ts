import { afterEach, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../../../testing/folders.ts'
import { readPostcssPlugins } from './postcss.ts'

afterEach(removeFolders)

const PLUGIN = {
  'node_modules/some-plugin/package.json': '{ "main": "index.js" }',
  'node_modules/some-plugin/index.js': 'module.exports = (options) => ({ postcssPlugin: "some", options })',
}
const pluginsOf = async (files: Record<string, string>) =>
  readPostcssPlugins(await createFolder({ ...PLUGIN, ...files }))

test.each<[string, string]>([
  [
    'postcss.config.js',
    "module.exports = { plugins: ['some-plugin', ['some-plugin', { a: 1 }], ['some-plugin', false]] }",
  ],
  ['postcss.config.mjs', "export default { plugins: ['some-plugin', ['some-plugin', { a: 1 }]] }"],
  ['.postcssrc.json', '{ "plugins": ["some-plugin", ["some-plugin", { "a": 1 }]] }'],
  ['package.json', '{ "postcss": { "plugins": ["some-plugin", ["some-plugin", { "a": 1 }]] } }'],
])('X6 loads the plugins that %s lists by name', async (name, text) => {
  expect(await pluginsOf({ [name]: text })).toEqual([
    { postcssPlugin: 'some', options: undefined },
    { postcssPlugin: 'some', options: { a: 1 } },
  ])
})

test('X6 leaves every other configuration to Vite', async () => {
  expect(await pluginsOf({})).toBeUndefined()
  expect(
    await pluginsOf({ 'postcss.config.cjs': "module.exports = { plugins: { 'some-plugin': {} } }" }),
  ).toBeUndefined()
  const loaded = "module.exports = { plugins: [require('some-plugin')()] }"
  expect(await pluginsOf({ 'postcss.config.cjs': loaded })).toBeUndefined()
})

test('X6 a plugin that is not installed is an error that names file and plugin', async () => {
  await expect(pluginsOf({ '.postcssrc': '{ "plugins": ["not-installed"] }' })).rejects.toThrow(
    '.postcssrc: plugins: "not-installed" cannot be loaded: ',
  )
})

test.each(['postcss.config.mjs', 'postcss.config.cjs'])('X6 what %s throws is an error with its name', async (name) => {
  const text = name.endsWith('.cjs')
    ? "throw new Error('no theme')\nmodule.exports = {}"
    : "throw new Error('no theme')"
  await expect(pluginsOf({ [name]: text })).rejects.toThrow(`${name}: could not be loaded: no theme`)
})
