// When a build or an install is needed, tested with real files.

import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { missingPackage, reasonToBuild, reasonToInstall } from './testing.ts'

const MANIFEST = JSON.stringify({ version: PORTICO_VERSION })
let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portico-build-'))
})

afterEach(() => rm(root, { recursive: true, force: true }))

async function put(path: string, text = ''): Promise<void> {
  const file = join(root, path)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, text)
  // Two changes within one tick of the file system's clock would look like one.
  await new Promise((done) => setTimeout(done, 15))
}

describe('reason to build', () => {
  const reason = () => reasonToBuild(root, join(root, 'site'))

  beforeEach(async () => {
    await put('web/build/cli.ts')
    await put('site/pages/index.tsx')
    await put('site/pages/old.tsx')
    await put('site/dist/manifest.json', MANIFEST)
  })

  test('O1 no reason exists while the build is newer than every source', async () => {
    expect(await reason()).toBeUndefined()
    await put('site/dist/client/static/later.js')
    await put('site/node_modules/later/index.js')
    await put('site/.portico/later')
    expect(await reason()).toBeUndefined()
  })

  test('O1 a missing build is a reason', async () => {
    await rm(join(root, 'site/dist'), { recursive: true })
    expect(await reason()).toBe('no build exists yet')
  })

  test.each(['{ "version": "0.0.9" }', '{}', '{ "version'])(
    'K1 the build %s of another version is a reason',
    async (text) => {
      await put('site/dist/manifest.json', text)
      expect(await reason()).toMatch(
        /^dist\/ was built by Portico (0\.0\.9|of an earlier version), and this is Portico \d/,
      )
    },
  )

  test('O1 a changed, an added and a removed source is a reason', async () => {
    await put('site/pages/index.tsx', 'changed')
    expect(await reason()).toBe(`${join(root, 'site/pages/index.tsx')} changed since the last build`)
    await put('site/dist/manifest.json', MANIFEST)
    expect(await reason()).toBeUndefined()
    await rm(join(root, 'site/pages/old.tsx'))
    expect(await reason()).toBe(`${join(root, 'site/pages')} changed since the last build`)
  })

  test('O1 a changed file of a package that the site takes from a folder is a reason', async () => {
    await put('docs/index.md')
    await put('site/package.json', JSON.stringify({ dependencies: { react: '19.0.0', docs: 'file:../docs' } }))
    await put('site/dist/manifest.json', MANIFEST)
    expect(await reason()).toBeUndefined()
    await put('docs/index.md', 'changed')
    expect(await reason()).toBe(`${join(root, 'docs/index.md')} changed since the last build`)
  })

  test('O1 a file removed from the top of the app folder is a reason', async () => {
    await put('site/portico.config.ts')
    await put('site/dist/sources.json', '["pages","portico.config.ts"]')
    await put('site/dist/manifest.json', MANIFEST)
    await rm(join(root, 'site/portico.config.ts'))
    expect(await reason()).toBe(`${join(root, 'site/portico.config.ts')} was removed since the last build`)
  })

  test('O1 folders that the build and the stack create are none, whenever they do', async () => {
    await put('site/dist/sources.json', '["pages"]')
    for (const name of ['.data/key', '.portico/types', 'node_modules/a/index.js']) await put(`site/${name}`)
    expect(await reason()).toBeUndefined()
  })

  test('O1 a source restored with its old time is a reason', async () => {
    await put('elsewhere.tsx', 'older')
    await put('site/dist/manifest.json', MANIFEST)
    await utimes(join(root, 'elsewhere.tsx'), 1000, 1000)
    await rename(join(root, 'elsewhere.tsx'), join(root, 'site/pages/index.tsx'))
    expect(await reason()).toMatch(/\/site\/pages.* changed since the last build$/)
  })

  test('O1 a change of the framework is a reason, a change of a test is not', async () => {
    await put('web/build/cli.test.ts')
    await put('site/dist/manifest.json', MANIFEST)
    await put('web/build/cli.test.ts', 'changed')
    expect(await reason()).toBeUndefined()
    await put('web/build/cli.ts', 'changed')
    expect(await reason()).toBe(`${join(root, 'web/build/cli.ts')} changed since the last build`)
  })
})

describe('packages of a site', () => {
  test('O1 an install is needed for a dependency that is in no folder above the site', async () => {
    const site = join(root, 'apps/site')
    expect(await missingPackage(site)).toBeUndefined()
    await put('apps/site/package.json', JSON.stringify({ dependencies: { a: '1.0.0', '@scope/b': '*' } }))
    expect(await missingPackage(site)).toBe('a')
    await put('node_modules/a/package.json')
    expect(await missingPackage(site)).toBe('@scope/b')
    await put('apps/node_modules/@scope/b/package.json')
    expect(await missingPackage(site)).toBeUndefined()
  })

  test('O1 a package that is missing beside others is a reason where a lock file names the package manager', async () => {
    await put('site/package.json', JSON.stringify({ dependencies: { a: '1.0.0' } }))
    await put('site/node_modules/b/package.json')
    expect(await missingPackage(join(root, 'site'))).toBeUndefined()
    await put('site/pnpm-lock.yaml')
    expect(await missingPackage(join(root, 'site'))).toBe('a')
    await put('site/node_modules/a/package.json')
    expect(await missingPackage(join(root, 'site'))).toBeUndefined()
  })

  test('O1 a lock file above the site counts if it is that of a workspace', async () => {
    await put('site/package.json', JSON.stringify({ dependencies: { a: '1.0.0' } }))
    await put('site/node_modules/b/package.json')
    await put('package-lock.json')
    await put('package.json', '{"name":"of-others"}')
    expect(await missingPackage(join(root, 'site'))).toBeUndefined()
    await put('package.json', '{"workspaces":["site"]}')
    expect(await missingPackage(join(root, 'site'))).toBe('a')
  })
})

describe('reason to install', () => {
  const lock = (packages: Record<string, object>) => JSON.stringify({ lockfileVersion: 3, packages })

  test('O1 missing packages are a reason, equal ones are not', async () => {
    await put('package-lock.json', lock({ '': {}, 'node_modules/a': { version: '1.0.0' } }))
    expect(reasonToInstall(root)).toBe('node_modules is missing')
    await put('node_modules/.package-lock.json', lock({ 'node_modules/a': { version: '1.0.0' } }))
    await put('node_modules/a/package.json')
    expect(reasonToInstall(root)).toBeUndefined()
  })

  test('O1 a package whose folder was removed is a reason', async () => {
    const packages = lock({ 'node_modules/a': { version: '1.0.0' } })
    await put('package-lock.json', packages)
    await put('node_modules/.package-lock.json', packages)
    expect(reasonToInstall(root)).toBe('a is missing')
  })

  test('O1 another version is a reason, an optional package of another system is not', async () => {
    const optional = { version: '1.0.0', optional: true }
    await put('package-lock.json', lock({ 'node_modules/a': { version: '1.1.0' }, 'node_modules/o': optional }))
    await put('node_modules/.package-lock.json', lock({ 'node_modules/a': { version: '1.0.0' } }))
    await put('node_modules/a/package.json')
    expect(reasonToInstall(root)).toBe('a is 1.0.0, the lock file says 1.1.0')
    await put('node_modules/.package-lock.json', lock({ 'node_modules/a': { version: '1.1.0' } }))
    expect(reasonToInstall(root)).toBeUndefined()
  })

  test('O1 a missing link to a folder of the repository is a reason', async () => {
    const docs = { 'node_modules/docs': { resolved: 'docs', link: true } }
    await put('package-lock.json', lock({ docs: { version: '1.0.0' }, ...docs }))
    await put('node_modules/.package-lock.json', lock({}))
    expect(reasonToInstall(root)).toBe('docs is missing')
    await put('node_modules/.package-lock.json', lock(docs))
    await put('node_modules/docs/package.json')
    expect(reasonToInstall(root)).toBeUndefined()
  })
})
