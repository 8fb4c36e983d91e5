import { afterAll, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { traceFiles } from './traced-files.ts'

afterAll(removeFolders)

const packageJson = (name: string, more: object = {}) => JSON.stringify({ name, version: '1.0.0', ...more })

test('K4 a package that reads the versions of all that are installed brings no binaries of others', async () => {
  const dir = await createFolder({
    'package.json': packageJson('site'),
    'node_modules/counts/package.json': packageJson('counts'),
    'node_modules/counts/index.js': `const { join } = require('node:path')
exports.versionOf = (name) => require('node:fs').readFileSync(join(process.cwd(), 'node_modules', name, 'package.json'))`,
    'node_modules/tool/package.json': packageJson('tool', { optionalDependencies: { 'tool-linux': '1.0.0' } }),
    'node_modules/tool/index.js': '',
    'node_modules/tool-linux/package.json': packageJson('tool-linux', { os: ['linux'] }),
    'node_modules/tool-linux/tool.node': 'binary',
  })
  const trace = (name: string) =>
    traceFiles(dir, [{ name, by: 'require' }], { bundle: 'actions', named: [], cache: {} }).then(({ files }) =>
      files.map((file) => file.slice(file.indexOf('node_modules/') + 13)),
    )
  const counted = await trace('counts')
  expect(counted).toContain('tool/package.json')
  expect(counted).not.toContain('tool-linux/tool.node')
  expect(await trace('tool')).toContain('tool-linux/tool.node')
})
