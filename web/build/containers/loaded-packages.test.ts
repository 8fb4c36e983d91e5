import type { Rolldown } from 'vite'
import { expect, test } from 'vitest'
import type { LoadedPackage } from '../bundle-sources/bundle-sources.ts'
import { loadedBy } from '../packages/bundle-files.ts'

const chunk = (code: string, modules: string[]) =>
  ({
    type: 'chunk',
    code,
    modules: Object.fromEntries(modules.map((id) => [id, {}])),
    imports: [],
    dynamicImports: [],
  }) as unknown as Rolldown.OutputChunk
const loaded = (name: string): [string, LoadedPackage] => [
  name,
  { name, file: `/site/node_modules/${name}/index.js`, by: 'require', moduleIds: [`portico:${name}`] },
]
const packagesOf = (code: string, modules: string[] = []) =>
  loadedBy(
    [chunk(code, modules)],
    new Map([loaded('pino'), loaded('shaken')]),
    new Set(['pino', 'pino-pretty', '@a/b']),
  )

test('K4 packages of a bundle are those of its modules', () => {
  expect(packagesOf('', ['portico:pino', '/site/pages/index.tsx'])).toEqual([{ name: 'pino', by: 'require' }])
})

test('K4 a dependency that a text names is one, however a package loads it', () => {
  const code = `transport({ target: 'pino-pretty' }); x("@a/b/file.js"); y(\`pino\`); z('other', 'a pino-pretty text')`
  expect(packagesOf(code, ['portico:pino'])).toEqual([
    { name: '@a/b/file.js', by: 'require' },
    { name: '@a/b/file.js', by: 'import' },
    { name: 'pino', by: 'require' },
    { name: 'pino-pretty', by: 'require' },
    { name: 'pino-pretty', by: 'import' },
  ])
})
