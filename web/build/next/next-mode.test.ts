import { afterEach, describe, expect, it } from 'vitest'
import { readSiteMode } from '../load-config.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { misplacedNext } from './next-mode.ts'

afterEach(removeFolders)

const packageOf = (fields: object) => JSON.stringify({ name: 'app', ...fields })
const NEXT = packageOf({ dependencies: { next: '16.0.0' } })

describe('compatibility mode', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['without any configuration', {}, false],
    ['with a next.config.js', { 'next.config.js': 'module.exports = {}' }, true],
    ['with a next.config.ts', { 'next.config.ts': 'export default {}' }, true],
    ['with a next.config.cjs', { 'next.config.cjs': 'module.exports = {}' }, true],
    ['with next among the dependencies', { 'package.json': NEXT }, true],
    ['with next among the devDependencies', { 'package.json': packageOf({ devDependencies: { next: '1' } }) }, true],
    ['with next among the peerDependencies', { 'package.json': packageOf({ peerDependencies: { next: '1' } }) }, false],
    ['with a portico.config', { 'package.json': NEXT, 'portico.config.ts': 'export default {}' }, false],
    ['with next: true', { 'portico.config.ts': 'export default { next: true }' }, true],
    ['with next: false', { 'next.config.js': '', 'portico.config.js': 'export default { next: false }' }, false],
  ])('X a folder %s is on: %s', async (_name, files, on) => {
    expect((await readSiteMode(await createFolder(files))).found !== undefined).toBe(on)
  })

  it('X two configurations that do not know of each other are an error that names both, and the ways out', async () => {
    const dir = await createFolder({ 'next.config.mjs': 'export default {}', 'portico.config.ts': 'export default {}' })
    await expect(readSiteMode(dir)).rejects.toThrow(
      'next.config.mjs and portico.config.ts: two configurations; set next: true in portico.config.ts to add its fields to those of next.config.mjs, or remove next.config.mjs',
    )
  })
})

it('X a line names next where it does not turn the mode on', async () => {
  const dir = await createFolder({
    'package.json': '{ "dependencies": { "next": "14" } }',
    'peer/package.json': '{ "peerDependencies": { "next": "14" } }',
    'apps/shop/pages/index.js': '',
    'apps/site/portico.config.ts': '',
  })
  expect(await misplacedNext(`${dir}/peer`)).toEqual([
    expect.stringContaining(
      'peerDependencies of package.json has next: this does not turn compatibility mode on; add ',
    ),
  ])
  expect(await misplacedNext(`${dir}/apps/shop`)).toEqual([
    expect.stringContaining('dependencies of ../../package.json has next: '),
  ])
  expect(await misplacedNext(`${dir}/apps/site`)).toEqual([])
})
