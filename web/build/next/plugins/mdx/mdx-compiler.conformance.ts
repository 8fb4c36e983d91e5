// MDX of apps with `@next/mdx`: the real process, with packages that do as little as those of MDX must.

import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { loadSiteConfig } from '../../../load-config.ts'
import { createFolder, removeFolders } from '../../../testing/folders.ts'
import { createMdxCompiler } from './mdx-compiler.ts'

afterEach(removeFolders)

const PAGE = { 'pages/index.mdx': '# Text' }
/** Plugins are named by what they return; a text with `!` cannot be compiled. */
const MDX = `export async function compile({ path, value }, { remarkPlugins = [], rehypePlugins = [], ...rest }) {
  while (value === 'endless');
  if (value.includes('!')) throw Object.assign(new Error('1:3: no'), { reason: 'no exclamation', line: 1, column: 3 })
  const run = (plugin) => (Array.isArray(plugin) ? plugin[0](plugin[1]) : plugin())
  return JSON.stringify({ name: path.split('/').at(-1), plugins: [...remarkPlugins, ...rehypePlugins].map(run), ...rest })
}`
const PACKAGES = {
  'node_modules/@mdx-js/loader/package.json': '{ "main": "index.cjs" }',
  'node_modules/@mdx-js/loader/index.cjs': '',
  'node_modules/@mdx-js/loader/node_modules/@mdx-js/mdx/package.json': '{ "type": "module", "exports": "./index.js" }',
  'node_modules/@mdx-js/loader/node_modules/@mdx-js/mdx/index.js': MDX,
  'node_modules/rehype-named/package.json': '{ "type": "module", "exports": "./index.js" }',
  'node_modules/rehype-named/index.js': "export default (options) => 'named ' + options.level",
}
const CONFIG = `import createMDX from '@next/mdx'
const own = () => 'own'
const withMDX = createMDX({ extension: /\\.mdx?$/i, options: { remarkPlugins: [own, [(text) => text, 'with options']], rehypePlugins: [['rehype-named', { level: 2 }]], format: 'mdx' } })
const withOther = (config) => ({ ...config, env: { A: 'a' } })
export default () => withOther(withMDX({ pageExtensions: ['mdx', 'md'], trailingSlash: true }))`

const open = async (files: Record<string, string>) => {
  const dir = await createFolder({ ...PAGE, ...files })
  let notes: string[] = []
  const { next, config } = await loadSiteConfig(dir, {
    environment: { PATH: process.env.PATH },
    onAdapted: ({ report }) => {
      notes = report.mapped.map(({ field, note }) => `${field}: ${note}`)
    },
  })
  return {
    dir,
    config,
    notes,
    next,
    mdx: next.mdx!,
    compile: (text: string) => next.mdx!.compile(join(dir, 'a.mdx'), text),
  }
}

it('X6 withMDX of @next/mdx is read, and its plugins are functions or names of packages', async () => {
  const { config, notes, next, mdx, compile } = await open({ 'next.config.mjs': CONFIG, ...PACKAGES })
  expect(config.trailingSlash).toBe(true)
  expect(next).toMatchObject({ pageExtensions: ['mdx', 'md'], defines: { 'process.env.A': '"a"' } })
  expect(notes).toContain('withMDX of @next/mdx: /\\.mdx?$/ is compiled by @mdx-js/mdx')
  expect(['/a.mdx', '/b.MD', '/a.mdx.js'].map(mdx.matches)).toEqual([true, true, false])
  expect(JSON.parse(await compile('# Text'))).toEqual({
    name: 'a.mdx',
    plugins: ['own', 'with options', 'named 2'],
    providerImportSource: 'next-mdx-import-source-file',
    format: 'mdx',
    jsx: false,
    development: false,
  })
  await expect(Promise.all([compile('fine'), compile('no!')])).rejects.toThrow('a.mdx:1:3: no exclamation')
})

it('X6 a file that is not compiled in time is an error that names it', async () => {
  const { dir } = await open({ 'next.config.mjs': CONFIG, ...PACKAGES })
  const run = {
    appDir: dir,
    file: 'next.config.mjs',
    mode: 'production',
    environment: { PATH: process.env.PATH },
  } as const
  const { compile } = createMdxCompiler(run, /\.mdx$/, 1000)
  await expect(compile(join(dir, 'a.mdx'), 'endless')).rejects.toThrow('a.mdx: was not compiled: no file of MDX was')
})

it('X6 without the package a file that needs it is an error that names both', async () => {
  const config = "module.exports = require('@next/mdx')()({})"
  const { mdx, compile } = await open({ 'next.config.js': config })
  expect(['/a.mdx', '/a.md'].map(mdx.matches)).toEqual([true, false])
  await expect(compile('# Text')).rejects.toThrow(/^a\.mdx: .*npm install @mdx-js\/rollup @mdx-js\/react$/)
})

it('X6 a plugin that is not installed is an error of the file, and version 1 of MDX compiles to JSX', async () => {
  const config = (plugin: string) =>
    `module.exports = require('@next/mdx')({ options: { remarkPlugins: [${plugin}] } })({})`
  const packages = {
    'node_modules/@mdx-js/mdx/package.json': '{ "main": "index.js" }',
    'node_modules/@mdx-js/mdx/index.js':
      "module.exports = async (text, { filepath }) => 'export default () => <p>' + (filepath.length > 0) + text + '</p>'",
  }
  const missing = await open({ 'next.config.js': config("'remark-away'"), ...packages })
  await expect(missing.compile('# Text')).rejects.toThrow(/^a\.mdx: Cannot find module 'remark-away'/)
  const old = await open({ 'next.config.js': config(''), ...packages })
  expect(await old.compile('Text')).toMatch(/^\/\* @jsxRuntime classic @jsx mdx \*\/[\s\S]*<p>trueText<\/p>$/)
})
