import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FRAMEWORK } from '../framework-files.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { createSite, NewSiteError } from './new-site.ts'

const CLI = fileURLToPath(new URL('../new-site-cli.ts', import.meta.url))
let parent: string

beforeEach(async () => {
  parent = await createFolder()
})
afterEach(removeFolders)

async function refusalOf(given: string): Promise<string> {
  const error = await createSite(given).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(NewSiteError)
  return (error as Error).message
}

/** Every file and folder below `dir`, sorted. */
async function treeOf(dir: string): Promise<string[]> {
  return (await readdir(dir, { recursive: true })).sort()
}

describe('a new site', () => {
  test('F1 contains pages, styles, settings and the types of its paths, under its own name', async () => {
    const site = await createSite(join(parent, 'My_Café'))
    expect(site).toEqual({ dir: join(parent, 'My_Café'), appDir: join(parent, 'My_Café') })
    expect(await readdir(parent)).toEqual(['My_Café'])
    expect(await treeOf(site.dir)).toEqual(
      expect.arrayContaining([
        '.gitignore',
        '.portico/tsconfig.json',
        'README.md',
        'pages/index.tsx',
        'pages/notes/[slug].tsx',
        'portico-env.d.ts',
        'portico.config.ts',
        'tsconfig.json',
      ]),
    )
    expect(JSON.parse(await readFile(join(site.dir, 'package.json'), 'utf8'))).toMatchObject({ name: 'my_cafe' })
    expect(await readFile(join(site.dir, 'portico-env.d.ts'), 'utf8')).toContain('`/notes/$' + '{string}`')
    const readme = await readFile(join(site.dir, 'README.md'), 'utf8')
    expect(readme).toContain(`APP_DIR=${site.dir} npm run dev`)
    expect(readme).not.toContain('../mysite')
  })

  test('O2 is named relative to the repository when the path is relative', async () => {
    const site = await createSite(relative(process.cwd(), join(parent, 'deep/er/site')))
    expect(site.dir).toBe(join(parent, 'deep/er/site'))
    expect(join(FRAMEWORK, site.appDir)).toBe(site.dir)
  })

  test('F1 is created in an empty folder, also in a Git repository', async () => {
    const dir = join(parent, 'site')
    await mkdir(join(dir, '.git'), { recursive: true })
    const { ino } = await stat(dir)
    await createSite(dir)
    expect((await stat(dir)).ino).toBe(ino)
    expect(await readdir(dir)).toEqual(expect.arrayContaining(['.git', '.gitignore', 'pages']))
    expect(await readdir(parent)).toEqual(['site'])
  })
})

describe('a site that cannot be created', () => {
  test('F1 refuses a folder that is not empty, naming its entries', async () => {
    const dir = join(parent, 'site')
    for (const name of ['a.txt', 'b', 'c', 'd', '.git']) await mkdir(join(dir, name), { recursive: true })
    expect(await refusalOf(dir)).toBe(`${dir}: is not empty, it contains a.txt, b, c and 1 more`)
    expect(await treeOf(dir)).toEqual(['.git', 'a.txt', 'b', 'c', 'd'])
  })

  test.each(['services/gateway/site', 'mysite', 'web/app/sites/mine'])(
    'F1 refuses %s, which is in the repository',
    async (path) => {
      expect(await refusalOf(join(FRAMEWORK, path))).toContain("is in Portico's folder")
    },
  )

  test('F1 refuses a path into the repository through a symbolic link', async () => {
    await symlink(join(FRAMEWORK, 'services'), join(parent, 'elsewhere'))
    expect(await refusalOf(join(parent, 'elsewhere/site'))).toContain("is in Portico's folder")
  })

  test.each(['', '  ', '/', '.hidden', '-site', 'my site', 'what?', 'a:b', 'nul\0'])(
    'F1 refuses %j as a folder name',
    async (name) => {
      const isWhole = name.trim() === '' || name === '/'
      expect(await refusalOf(isWhole ? name : join(parent, name))).toContain('is not allowed as the folder of a site')
      expect(await readdir(parent)).toEqual([])
    },
  )

  test('F1 refuses a file, and a path below a file, in one line', async () => {
    const file = join(parent, 'file')
    await writeFile(file, '')
    expect(await refusalOf(file)).toBe(`${file}: is a file; use a new or empty folder`)
    expect(await refusalOf(join(file, 'site'))).toMatch(
      /^.*file\/site: could not be written \((ENOTDIR|EEXIST): [^\n]+\)$/,
    )
  })

  test('F1 writes nothing when a step fails', async () => {
    const template = join(parent, 'template')
    await mkdir(join(template, 'pages'), { recursive: true })
    for (const name of ['package.json', 'README.md', 'pages/index.tsx']) await writeFile(join(template, name), '{}')
    await writeFile(join(template, 'portico.config.ts'), 'export default { no: true }')
    await mkdir(join(parent, 'empty'))
    for (const path of ['site', 'deep/er/site', 'empty'])
      await expect(createSite(join(parent, path), template)).rejects.toThrow('is not a setting')
    expect((await readdir(parent)).sort()).toEqual(['empty', 'template'])
    expect(await readdir(join(parent, 'empty'))).toEqual([])
  })
})

/** The command is a process that loads the whole build. */
const COMMAND_TIMEOUT_MS = 30_000

describe('the command', { timeout: COMMAND_TIMEOUT_MS }, () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [CLI, ...args], { cwd: FRAMEWORK, encoding: 'utf8' })

  test('F1 prints the next commands', () => {
    const { status, stdout } = run(relative(FRAMEWORK, join(parent, 'site')))
    const appDir = relative(FRAMEWORK, join(parent, 'site'))
    expect(status).toBe(0)
    for (const command of ['npm run dev', 'npm start', 'docker compose up --build'])
      expect(stdout).toContain(`APP_DIR=${appDir} ${command}`)
  })

  test.each([
    [1, "is in Portico's folder", ['services/site']],
    [2, 'npm run new: 0 folders are given; name one, as in npm run new ../mysite', []],
    [2, '2 folders are given', ['../one', '../two']],
    [2, "Unknown option '--force'", ['--force', '../one']],
  ])('F1 exits with code %i and one line: %s', (code, line, args) => {
    const { status, stderr, stdout } = run(...args)
    expect(status).toBe(code)
    expect(stderr).toContain(line)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stdout).toBe('')
  })

  test('F1 prints its help', () => {
    const { status, stdout } = run('--help')
    expect(status).toBe(0)
    expect(stdout).toContain('npm run new ../mysite')
  })
})
