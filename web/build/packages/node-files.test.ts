import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { exportedNamesOf } from '../testing.ts'
import { createNodeFiles } from './place-import.ts'

const packageOf = (name: string, manifest: object, files: Record<string, string>) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', ...manifest }),
  ...Object.fromEntries(Object.entries(files).map(([file, code]) => [`node_modules/${name}/${file}`, code])),
})
const MODULE = { type: 'module', exports: './index.js' }

describe('what Node would do', () => {
  let dir: string
  const node = createNodeFiles()
  const importer = () => join(dir, 'pages/index.tsx')
  const faultOf = (name: string) => {
    const file = node.resolve(name, importer(), 'require') ?? node.resolve(name, importer(), 'import')
    return node.faultOf(file!)?.slice(dir.length + 1)
  }

  beforeAll(async () => {
    dir = await createFolder({
      ...packageOf(
        'dual',
        { exports: { import: './index.mjs', require: './index.cjs' }, module: './esm.js' },
        {
          'index.mjs': 'export {}',
          'index.cjs': '',
        },
      ),
      ...packageOf(
        'old',
        { main: 'lib', module: 'esm.js' },
        { 'lib/index.js': "require('./part')", 'lib/part.js': '', 'esm.js': 'export {}' },
      ),
      ...packageOf('hidden', MODULE, { 'index.js': `export { a } from ${JSON.stringify('styled')}` }),
      ...packageOf('styled', MODULE, { 'index.js': "import './a.css'; export const a = 1", 'a.css': '' }),
      ...packageOf('old-styled', {}, { 'index.js': "require('./a.css')", 'a.css': '' }),
      ...packageOf('optional', {}, { 'index.js': "try { require('not-installed') } catch {}" }),
      ...packageOf('late', MODULE, { 'index.js': `export const load = () => import(${JSON.stringify('styled')})` }),
      ...packageOf('without-endings', MODULE, { 'index.js': "export * from './part'", 'part.js': '' }),
      ...packageOf('with-data', MODULE, { 'index.js': "import a from './a.json'", 'a.json': '{}' }),
      ...packageOf('with-typed-data', MODULE, {
        'index.js': "import a from './a.json' with { type: 'json' }",
        'a.json': '{}',
      }),
      ...packageOf('circle', MODULE, {
        'index.js': "import './b.js'",
        'b.js': "import './index.js'; import 'react'; import 'portico'",
      }),
      ...packageOf(
        'names',
        {},
        {
          'index.js':
            "exports.a = 1; Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 2",
          'again.js': "module.exports = require('./index.js')",
        },
      ),
    })
  })
  afterAll(removeFolders)

  test('F1 finds the files that require and import load; a module field has no meaning', () => {
    const found = (name: string, by: 'require' | 'import') => node.resolve(name, importer(), by)?.slice(dir.length + 14)
    expect([found('dual', 'require'), found('dual', 'import')]).toEqual(['dual/index.cjs', 'dual/index.mjs'])
    expect([found('old', 'require'), found('styled', 'require')]).toEqual(['old/lib/index.js', 'styled/index.js'])
    expect(found('gone', 'require')).toBeUndefined()
  })

  test.each([
    ['old', undefined],
    ['optional', undefined],
    ['late', undefined],
    ['circle', undefined],
    ['with-typed-data', undefined],
    ['styled', 'node_modules/styled/index.js: imports "./a.css"'],
    ['hidden', 'node_modules/styled/index.js: imports "./a.css"'],
    ['old-styled', 'node_modules/old-styled/index.js: imports "./a.css"'],
    ['without-endings', 'node_modules/without-endings/index.js: imports "./part"'],
    ['with-data', 'node_modules/with-data/index.js: imports "./a.json" as a module'],
  ])('F1 finds what Node cannot run, in all that a package imports: %s', (name, expected) => {
    expect(faultOf(name)).toBe(expected)
  })

  test('F1 the format is that of Node: ending, package.json, syntax', () => {
    const formatOf = (path: string) => node.formatOf(join(dir, 'node_modules', path))
    expect(
      ['dual/index.mjs', 'dual/index.cjs', 'styled/index.js', 'old/lib/part.js', 'old/esm.js'].map(formatOf),
    ).toEqual(['module', 'commonjs', 'module', 'commonjs', 'module'])
  })

  test('F1 reads the names of a CommonJS module, those of the module that it passes on among them', () => {
    expect([...exportedNamesOf(join(dir, 'node_modules/names/again.js'), node)]).toEqual(['a'])
  })
})
