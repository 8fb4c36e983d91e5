// The data folder of each site.

import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readStackConfig } from '../config.ts'
import { prepareDataFolder } from './data-folder.ts'

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>()
  return { ...real, chmod: vi.fn(real.chmod) }
})

let root: string
const siteDir = () => join(root, 'site')
const configOf = (environment: Record<string, string>) => readStackConfig(environment, () => {})

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portico-data-'))
  await mkdir(join(siteDir(), '.data'), { recursive: true })
})
afterEach(() => rm(root, { recursive: true, force: true }))

test('O1 every site has its own folders for data and caches', () => {
  const [one, two] = ['/sites/one', '/sites/two'].map((APP_DIR) => configOf({ APP_DIR }))
  expect(one).toMatchObject({ dataDir: '/sites/one/.data', cacheDir: '/sites/one/.data/cache' })
  expect(two).toMatchObject({ dataDir: '/sites/two/.data', cacheDir: '/sites/two/.data/cache' })
  const given = configOf({ APP_DIR: '/sites/one', DATA_DIR: '/data' })
  expect(given).toMatchObject({ dataDir: '/data', cacheDir: '/data/cache' })
})

test('O1 the data folder of a site is private and hidden from git, and stays as its author changed it', async () => {
  await prepareDataFolder(configOf({ APP_DIR: siteDir() }))
  const file = join(siteDir(), '.data', '.gitignore')
  expect(await readFile(file, 'utf8')).toBe('*\n')
  expect((await stat(join(siteDir(), '.data'))).mode & 0o777).toBe(0o700)
  await writeFile(file, '*\n!kept.json\n')
  await prepareDataFolder(configOf({ APP_DIR: siteDir() }))
  expect(await readFile(file, 'utf8')).toContain('!kept.json')
})

test('O1 a data folder of another user that may be written is used as it is', async () => {
  vi.mocked(chmod).mockRejectedValueOnce(Object.assign(new Error('not permitted'), { code: 'EPERM' }))
  await prepareDataFolder(configOf({ APP_DIR: siteDir() }))
  expect(await readFile(join(siteDir(), '.data', '.gitignore'), 'utf8')).toBe('*\n')
})
