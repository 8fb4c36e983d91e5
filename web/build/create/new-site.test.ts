import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FRAMEWORK } from '../framework-files.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { checkTarget, createSite, NewSiteError, type Origin } from './new-site.ts'

const CLI = join(FRAMEWORK, 'infra/package/new-site-cli.ts')
let parent: string
let origin: Origin

beforeEach(async () => {
  parent = await createFolder()
  const package_ = await createFolder({
    'template/README.md': 'npm install ./vendor/portico-<version>.tgz',
    'template/gitignore': 'node_modules/',
    'template/npmrc': 'audit=false',
    'template/package.json': '{ "name": "mysite", "scripts": { "dev": "portico dev" } }',
    'template/pages/notes/[slug].tsx': '',
    'portico-1.2.3.tgz': 'the package',
  })
  origin = { template: join(package_, 'template'), tarball: join(package_, 'portico-1.2.3.tgz') }
})
afterEach(removeFolders)

/** Checks the path and creates the site there. Resolves with its absolute path. */
async function create(given: string, from = origin): Promise<string> {
  const target = await checkTarget(given, FRAMEWORK)
  await createSite(target, from)
  return target.dir
}

async function refusalOf(given: string): Promise<string> {
  const error = await create(given).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(NewSiteError)
  return (error as Error).message
}

/** Every file and folder below `dir`, sorted. */
async function treeOf(dir: string): Promise<string[]> {
  return (await readdir(dir, { recursive: true })).sort()
}

describe('a new site', () => {
  test('F1 K1 is the template under its own name, with the package of Portico as a file in vendor', async () => {
    const dir = await create(join(parent, 'My_Café'))
    expect(dir).toBe(join(parent, 'My_Café'))
    expect(await readdir(parent)).toEqual(['My_Café'])
    expect(await treeOf(dir)).toEqual([
      '.gitignore',
      '.npmrc',
      'README.md',
      'package.json',
      'pages',
      'pages/notes',
      'pages/notes/[slug].tsx',
      'vendor',
      'vendor/portico-1.2.3.tgz',
    ])
    expect(JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'))).toEqual({
      name: 'my_cafe',
      scripts: { dev: 'portico dev' },
      dependencies: { portico: 'file:vendor/portico-1.2.3.tgz' },
    })
    expect(await readFile(join(dir, 'README.md'), 'utf8')).toBe('npm install ./vendor/portico-1.2.3.tgz')
  })

  test.each([
    ['portico', 'portico-site'],
    ['create-portico', 'create-portico-site'],
    ['node_modules', 'node_modules-site'],
    ['日本', 'site'],
  ])('F1 K1 in the folder %s has the package name %s', async (folder, name) => {
    const dir = await create(join(parent, folder))
    expect(JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'))).toMatchObject({ name })
  })

  test('F1 is created at a path relative to the working directory', async () => {
    expect(await create(relative(process.cwd(), join(parent, 'deep/er/site')))).toBe(join(parent, 'deep/er/site'))
  })

  test('F1 is created in an empty folder, also in a Git repository', async () => {
    const dir = join(parent, 'site')
    await mkdir(join(dir, '.git'), { recursive: true })
    const { ino } = await stat(dir)
    await create(dir)
    expect((await stat(dir)).ino).toBe(ino)
    expect(await readdir(dir)).toEqual(expect.arrayContaining(['.git', '.gitignore', 'pages']))
    expect(await readdir(parent)).toEqual(['site'])
  })

  test('K1 its development tools have the versions of the repository, and its tests the bundler of its builds', async () => {
    const read = async (file: string) => JSON.parse(await readFile(join(FRAMEWORK, file), 'utf8'))
    const { devDependencies, scripts } = await read('web/build/create/starter/package.json')
    const { vite } = (await read('web/build/package.json')).dependencies
    const { vitest } = (await read('package.json')).devDependencies
    // Without vite vitest gets the newest one, next to that of Portico.
    expect(devDependencies).toMatchObject({ vite, vitest })
    // typescript-eslint takes no newer one: its peer is below 6.1.
    expect(devDependencies.typescript).toMatch(/^6\.0\./)
    expect(scripts.check).toBe('portico check && eslint .')
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
      const given = isWhole ? name : join(parent, name)
      expect(await refusalOf(given)).toContain(`"${isWhole ? '' : name}" is not allowed as the folder of a site`)
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
    await mkdir(join(parent, 'empty'))
    for (const path of ['site', 'deep/er/site', 'empty'])
      await expect(
        create(join(parent, path), { ...origin, tarball: join(parent, 'portico-0.0.0.tgz') }),
      ).rejects.toThrow(`${join(parent, path)}: could not be written (ENOENT: no such file or directory)`)
    expect(await treeOf(parent)).toEqual(['empty'])
  })
})

test('F1 writes nothing when it is interrupted', async () => {
  await mkdir(join(parent, 'empty'))
  for (const path of ['site', 'deep/er/site', 'empty']) {
    const target = await checkTarget(join(parent, path), FRAMEWORK)
    const interrupted = new AbortController()
    const created = createSite(target, origin, interrupted.signal)
    interrupted.abort(new NewSiteError('interrupted'))
    await expect(created).rejects.toThrow('interrupted')
  }
  expect(await treeOf(parent)).toEqual(['empty'])
})

describe('the command', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [CLI, ...args], { cwd: FRAMEWORK, encoding: 'utf8' })

  test.each([
    [1, "npm run new: services/site: is in Portico's folder", ['services/site']],
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
