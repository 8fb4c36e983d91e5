import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { readSbom } from './sbom.ts'

afterEach(removeFolders)

/** package.json and package-lock.json of a project with these entries of node_modules. */
function project(name: string, installed: Record<string, { dev?: true; resolved?: string }>, below = '') {
  const versions = (isDev: boolean) =>
    Object.fromEntries(
      Object.entries(installed)
        .filter(([, { dev = false }]) => dev === isDev)
        .map(([one]) => [one, '1.0.0']),
    )
  const manifest = { name, version: '2.0.0', dependencies: versions(false), devDependencies: versions(true) }
  const packages = Object.entries(installed).map(([one, entry]) => [
    `node_modules/${one}`,
    { version: '1.0.0', license: 'MIT', ...entry },
  ])
  return {
    [`${below}package.json`]: JSON.stringify(manifest),
    [`${below}package-lock.json`]: JSON.stringify({
      ...{ name, version: '2.0.0', lockfileVersion: 3, requires: true },
      packages: { '': manifest, ...Object.fromEntries(packages) },
    }),
  }
}

const read = async (appDir: string, framework = appDir) => {
  const { text = '', reason } = await readSbom(appDir, framework)
  expect(reason).toBeUndefined()
  const sbom = JSON.parse(text) as {
    bomFormat: string
    metadata: { component: { name: string } }
    components: { purl: string }[]
    dependencies: { ref: string }[]
  }
  return { text, sbom, purls: sbom.components.map(({ purl }) => purl) }
}

describe('the bill of materials of an image', () => {
  test('K4 lists the production packages of the lock file, with the same bytes in every folder', async () => {
    const files = project('mysite', {
      a: {},
      '@scope/b': {},
      portico: { resolved: 'file:vendor/portico-1.0.0.tgz' },
      typescript: { dev: true },
    })
    const { sbom, purls, text } = await read(await createFolder(files))
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'mysite' } } })
    expect(purls).toEqual(['pkg:npm/%40scope/b@1.0.0', 'pkg:npm/a@1.0.0', 'pkg:npm/portico@1.0.0'])
    expect(text).toContain('"file:vendor/portico-1.0.0.tgz"')
    expect((await read(await createFolder(files))).text).toBe(text)
  })

  test('K4 lists the packages of Portico, too, where it is installed outside the site', async () => {
    const dir = await createFolder({
      ...project('repository', { a: {}, express: {} }),
      ...project('mysite', { a: {}, native: {} }, 'site/'),
    })
    const { sbom, purls } = await read(join(dir, 'site'), join(dir, 'node_modules/portico'))
    expect(sbom.metadata.component.name).toBe('mysite')
    expect(purls).toEqual(['pkg:npm/a@1.0.0', 'pkg:npm/native@1.0.0', 'pkg:npm/express@1.0.0'])
    expect(sbom.dependencies.map(({ ref }) => ref)).toContain('repository@2.0.0')
  })

  test('K4 is made from the lock file of the workspace that the site is in, and not made without one', async () => {
    const dir = await createFolder(project('workspace', { a: {} }))
    await mkdir(join(dir, 'sites/one'), { recursive: true })
    expect((await read(join(dir, 'sites/one'))).purls).toEqual(['pkg:npm/a@1.0.0'])
    expect(await readSbom(await createFolder(), '/')).toEqual({ reason: 'the site has no package-lock.json' })
  })

  test('K4 is not made, with the reason of npm, from a lock file that npm accepts for an installation only', async () => {
    const files = project('mysite', { a: {} })
    const lock = JSON.parse(files['package-lock.json'] ?? '') as { packages: Record<string, object> }
    lock.packages['node_modules/a'] = { version: '1.0.0', peerDependencies: { absent: '1' } }
    const dir = await createFolder({ ...files, 'package-lock.json': JSON.stringify(lock) })
    const { reason } = await readSbom(dir, dir)
    expect(reason).toBe('npm sbom failed: code ESBOMPROBLEMS; missing: absent@1, required by a@1.0.0')
  })
})
