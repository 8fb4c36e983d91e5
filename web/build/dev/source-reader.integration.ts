// The configuration of a Next.js app under development: when it runs, and what is reported of it.

import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { createSourceReader } from './source-reader.ts'

afterEach(async () => {
  vi.unstubAllEnvs()
  await removeFolders()
})

test('X V1 the config runs once at start, and its report is repeated when it changes', async () => {
  const config = (fields: string) =>
    `require('node:fs').appendFileSync(__dirname + '/.runs', 'x')\nmodule.exports = { ${fields} }`
  const dir = await createFolder({
    'pages/index.js': 'export default () => null',
    'next.config.js': config('swcMinify: true'),
    'src/instrumentation.js': '',
  })
  const noted: string[][] = []
  const reader = createSourceReader(dir, (lines) => noted.push([...lines]))
  const change = async (fields: string) => {
    await writeFile(join(dir, 'next.config.js'), config(fields))
    return (await reader.read(new Set([join(dir, 'next.config.js')]))).kind
  }
  expect((await reader.read()).kind).toBe('read')
  expect(await readFile(join(dir, '.runs'), 'utf8')).toBe('x')
  const [report, site] = noted.splice(0)
  expect(report).toContainEqual(expect.stringContaining('ignored: swcMinify'))
  expect(site).toEqual([expect.stringContaining('src/instrumentation.js: not read')])
  expect(await change('swcMinify: true, poweredByHeader: false')).toBe('read')
  expect(noted.splice(0)).toEqual([expect.arrayContaining([expect.stringContaining('mapped: poweredByHeader')])])
  expect(await change('nonsense: 1')).toBe('fault')
  expect(noted.splice(0)).toEqual([expect.arrayContaining([expect.stringContaining('refused: nonsense')])])
  expect((await reader.read()).kind).toBe('fault')
  expect(noted).toEqual([])
})

test('X4 V1 a loader of turbopack.rules may add the data function of a page, and one that fails leaves the page to its own source', async () => {
  const dir = await createFolder({
    'pages/index.js': 'export default () => null',
    'pages/failing.js': 'export default () => null',
    'next.config.js': "module.exports = { turbopack: { rules: { '*.js': ['./data-loader.cjs'] } } }",
    'data-loader.cjs': `module.exports = function (code) {
  if (this.resourcePath.endsWith('failing.js')) throw new Error('no')
  return code + '\\nexport const getStaticProps = () => ({ props: {} })'
}`,
  })
  const result = await createSourceReader(dir).read()
  const pages =
    result.kind === 'read' ? result.manifest.pages.map(({ pattern, data }) => [pattern, data]) : result.fault
  expect(pages).toEqual([
    ['/failing', 'none'],
    ['/', 'static'],
  ])
})

test('V1 a link in public/ that leads to nothing is named once, and everything else is there', async () => {
  const dir = await createFolder({ 'pages/index.js': 'export default () => null', 'public/a.txt': 'a' })
  const noted: string[] = []
  const reader = createSourceReader(dir, (lines) => noted.push(...lines))
  const read = async () => {
    const result = await reader.read()
    return result.kind === 'read' ? Object.keys(result.manifest.publicFiles) : result.fault
  }
  expect([await read(), noted.splice(0)]).toEqual([['/a.txt'], []])
  await symlink('../gone.txt', join(dir, 'public/gone.txt'))
  for (const lines of [[expect.stringContaining('public/gone.txt: is a link to ../gone.txt')], []])
    expect([await read(), noted.splice(0)]).toEqual([['/a.txt'], lines])
})
