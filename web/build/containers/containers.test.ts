import { existsSync, globSync } from 'node:fs'
import { chmod, lstat, readFile, readlink, realpath, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { collectServices } from './containers.ts'

type Collected = Awaited<ReturnType<typeof collectServices>>

const packageAt = (dir: string, more: Record<string, unknown> = {}) => ({
  [`${dir}/package.json`]: JSON.stringify({ version: '1.0.0', ...more }),
  [`${dir}/index.js`]: 'module.exports = 1',
})
const serviceFiles = (name: string) => ({
  [`bundles/${name}/main.js`]: 'export {}',
  [`bundles/${name}/main.js.map`]: '{}',
  [`bundles/${name}/chunks/part.js`]: 'export {}',
  [`bundles/${name}/chunks/part.js.map`]: '{}',
})
const FRAMEWORK = {
  ...serviceFiles('gateway'),
  ...serviceFiles('renderer'),
  ...serviceFiles('images'),
  ...serviceFiles('actions'),
  'bundles/licenses.txt': 'licenses',
  'docker/ready.sh': 'exit 0',
  ...packageAt('node_modules/sharp', { dependencies: { '@img/colour': '1' }, devDependencies: { vite: '8' } }),
  ...packageAt('node_modules/@img/colour'),
  ...packageAt('node_modules/vite'),
}
const SITE = {
  'package.json': JSON.stringify({
    name: 'mysite',
    dependencies: { portico: 'file:vendor/portico-0.1.0.tgz', native: '1', bundled: '1' },
    devDependencies: { 'of-ours': 'file:./packages/of-ours' },
  }),
  'vendor/portico-0.1.0.tgz': '…',
  'packages/of-ours/index.js': '',
  'content/a.md': 'A',
  '.env': 'SECRET=sesame',
  '.env.production': 'SECRET=sesame',
  'lib/.env.example': 'SECRET=',
  'site.env': 'SECRET=sesame',
  '.envrc': 'export SECRET=sesame',
  '.yarnrc.yml': 'npmAuthToken: sesame',
  '.npmrc': '//registry.example.org/:_authToken=sesame',
  'dist/manifest.json': '{}',
  'dist/external-packages.json': JSON.stringify({
    server: [
      { name: 'traced', by: 'require' },
      { name: 'portico-package:node_modules/modern/main.js', by: 'import' },
    ],
    actions: [],
    named: ['native', 'gone'],
  }),
  'dist/client/static/a.js': '',
  'dist/public/robots.txt': '',
  'dist/server/entry.js': '',
  'dist/server/site.js.map': '',
  'dist/actions/entry.js': '',
  'dist/actions/site.js.map': '',
  // E4: those of browsers are in no image.
  '.portico/source-maps/b1/a.js.map': '',
  ...packageAt('node_modules/native', { dependencies: { binding: '1' } }),
  ...packageAt('node_modules/binding'),
  ...packageAt('node_modules/traced', {
    main: 'main.js',
    dependencies: { inner: '1', react: '19', computing: '1' },
    optionalDependencies: { 'traced-linux': '1', 'traced-other': '1' },
  }),
  'node_modules/traced/main.js':
    "require('inner'); require('react'); require('computing'); require('fs').readFileSync(require('path').join(__dirname, 'data/words.txt'))",
  'node_modules/traced/data/words.txt': 'words',
  'node_modules/traced/main.d.ts': '',
  ...packageAt('node_modules/inner'),
  // What a trace does not see: data below a folder that a variable names, modules that a variable names.
  ...packageAt('node_modules/computing', { main: 'data/main.js' }),
  'node_modules/computing/data/main.js':
    "const here = __dirname; exports.read = (n) => here + n; require('../load/main.js')",
  'node_modules/computing/data/engine.wasm': 'wasm',
  'node_modules/computing/data/unused.js': '',
  'node_modules/computing/data/README.md': '',
  'node_modules/computing/load/main.js': 'exports.load = (name) => import(name)',
  'node_modules/computing/load/worker.mjs': '',
  'node_modules/computing/load/test/worker.mjs': '',
  'node_modules/computing/other/data.txt': '',
  ...packageAt('node_modules/react'),
  ...packageAt('node_modules/traced-linux', { os: ['linux'] }),
  'node_modules/traced-linux/bin/tool': 'binary',
  ...packageAt('node_modules/modern', { type: 'module' }),
  'node_modules/modern/main.js': 'export {}',
  ...packageAt('node_modules/bundled'),
}

describe('the contents of containers', () => {
  let output: string
  let collected: Collected

  beforeAll(async () => {
    const [appDir, framework] = [await createFolder(SITE), await createFolder(FRAMEWORK)]
    await chmod(join(appDir, 'content/a.md'), 0o600)
    output = join(await createFolder(), 'out')
    collected = await collectServices({ appDir, output, framework })
  })
  afterAll(removeFolders)

  const filesOf = (service: string) =>
    globSync('**/*', { cwd: join(output, service), withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name).slice(join(output, service).length + 1))
      .sort()
  const serviceOf = (name: string) => [
    'licenses.txt',
    'package.json',
    'ready.sh',
    `services/${name}/chunks/part.js`,
    `services/${name}/main.js`,
  ]
  const inModules = (file: string) => `site/node_modules/${file}`
  const OF_SITE = [
    'site/content/a.md',
    'site/dist/manifest.json',
    'site/package.json',
    ...['binding', 'native'].flatMap((name) => [
      `site/node_modules/${name}/index.js`,
      `site/node_modules/${name}/package.json`,
    ]),
  ]

  test.each([
    ['gateway', ['site/dist/client/static/a.js', 'site/dist/manifest.json', 'site/dist/public/robots.txt']],
    [
      'renderer',
      [
        ...OF_SITE,
        'site/dist/server/entry.js',
        'site/dist/server/site.js.map',
        ...['inner/index.js', 'inner/package.json', 'modern/main.js', 'modern/package.json'].map(inModules),
        ...['data/engine.wasm', 'data/main.js', 'load/main.js', 'load/worker.mjs', 'package.json'].map((file) =>
          inModules(`computing/${file}`),
        ),
        ...['traced/data/words.txt', 'traced/main.js', 'traced/package.json'].map(inModules),
        ...['traced-linux/bin/tool', 'traced-linux/index.js', 'traced-linux/package.json'].map(inModules),
      ],
    ],
    ['actions', [...OF_SITE, 'site/dist/actions/entry.js', 'site/dist/actions/site.js.map']],
    [
      'images',
      [
        ...['@img/colour', 'sharp'].flatMap((name) => [
          `node_modules/${name}/index.js`,
          `node_modules/${name}/package.json`,
        ]),
        'site/dist/manifest.json',
      ],
    ],
  ])('K4 the container of %s holds the service and what it reads, nothing else', (name, more) => {
    expect(filesOf(name)).toEqual([...serviceOf(name), ...more].sort())
  })

  test('K4 Node reads the compiled service as modules', async () => {
    expect(JSON.parse(await readFile(join(output, 'gateway/package.json'), 'utf8'))).toMatchObject({ type: 'module' })
  })

  test('K2 the user of the container may read files that only their owner may read on the machine of the build', async () => {
    expect((await stat(join(output, 'renderer/site/content/a.md'))).mode & 0o777).toBe(0o644)
  })

  test('K4 packages of a workspace around the site have the same places in a container, and links remain links', async () => {
    const root = await createFolder({
      ...Object.fromEntries(Object.entries(SITE).map(([file, text]) => [`apps/web/${file}`, text])),
      ...packageAt('node_modules/.pnpm/linked.js@1/node_modules/linked.js', { main: 'index.js' }),
      'apps/web/dist/external-packages.json': JSON.stringify({
        server: [{ name: 'linked.js', by: 'require' }],
        actions: [],
        named: [],
      }),
    })
    await symlink('.pnpm/linked.js@1/node_modules/linked.js', join(root, 'node_modules/linked.js'))
    const to = join(await createFolder(), 'out')
    await writeFile(join(root, 'node_modules/.pnpm/linked.js@1/node_modules/linked.js/data.bin'), Buffer.alloc(100_000))
    const options = { appDir: join(root, 'apps/web'), output: to, framework: await createFolder(FRAMEWORK) }
    const { bytes } = await collectServices(options)
    // What a link leads to counts once.
    expect(bytes.renderer).toBeLessThan(150_000)
    const renderer = join(to, 'renderer')
    expect(await readlink(join(renderer, 'site'))).toBe('workspace/apps/web')
    expect(await readlink(join(renderer, 'workspace/node_modules/linked.js'))).toBe(
      '.pnpm/linked.js@1/node_modules/linked.js',
    )
    expect(existsSync(join(renderer, 'site/dist/server/entry.js'))).toBe(true)
    const fromSite = createRequire(join(await realpath(join(renderer, 'site')), 'dist/server/entry.js'))
    expect(fromSite('linked.js')).toBe(1)
    expect((await lstat(join(to, 'actions/site'))).isDirectory()).toBe(true)
  })

  test('K4 a package that is not installed is reported by name, and the size of each folder', () => {
    expect(collected.missing).toEqual(['gone'])
    expect(Object.keys(collected.bytes)).toEqual(['gateway', 'renderer', 'images', 'actions'])
    expect(collected.bytes.images).toBeGreaterThan(100)
  })

  test('K4 why there is no list of packages is reported', () => {
    expect(collected.withoutSbom).toBe('the site has no package-lock.json')
  })

  test('K4 each container holds the list of packages, which is also next to them', async () => {
    const lock = { lockfileVersion: 3, packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } }
    const files = { ...SITE, 'package.json': '{"name":"mysite","version":"1.0.0","dependencies":{"a":"1"}}' }
    const [appDir, framework] = [
      await createFolder({ ...files, 'package-lock.json': JSON.stringify(lock) }),
      await createFolder(FRAMEWORK),
    ]
    const to = join(await createFolder(), 'out')
    expect(await collectServices({ appDir, output: to, framework })).toMatchObject({ withoutSbom: undefined })
    const lists = ['', 'gateway', 'renderer', 'images', 'actions'].map((name) => join(to, name, 'sbom.cdx.json'))
    const texts = await Promise.all(lists.map((file) => readFile(file, 'utf8')))
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toContain('pkg:npm/a@1.0.0')
  })

  test('K4 a folder that is not empty is refused', async () => {
    const [appDir, framework] = [await createFolder(SITE), await createFolder(FRAMEWORK)]
    await expect(collectServices({ appDir, output, framework })).rejects.toThrow(
      /^--output=.*: must be a new or empty folder; it contains actions, gateway, images$/,
    )
  })

  test('K4 a site without a build is refused', async () => {
    const [appDir, framework] = [await createFolder({ 'package.json': '{}' }), await createFolder(FRAMEWORK)]
    await expect(collectServices({ appDir, output: join(appDir, 'out'), framework })).rejects.toThrow(
      /: has no build; run portico build first$/,
    )
  })
})
