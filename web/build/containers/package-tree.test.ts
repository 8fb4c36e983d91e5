import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { copyPackages, readPackageTree } from './package-tree.ts'

afterEach(removeFolders)

/** Files of a package by the path of its folder; its main file exports its version and requires its dependencies. */
function packageAt(dir: string, version: string, more: Record<string, unknown> = {}): Record<string, string> {
  const { dependencies = {}, optionalDependencies = {} } = more as Record<string, Record<string, string>>
  const required = Object.keys({ ...dependencies, ...optionalDependencies })
  const values = required.map((name) => `${JSON.stringify(name)}: require(${JSON.stringify(name)})`)
  return {
    [`${dir}/package.json`]: JSON.stringify({ name: dir.split('node_modules/').at(-1), version, ...more }),
    [`${dir}/index.js`]: `module.exports = { version: ${JSON.stringify(version)}, ${values.join(', ')} }`,
  }
}

/** What a module of the site receives from a package of the copied tree. */
async function copied(dir: string, names: string[]) {
  const { packages, missing } = await readPackageTree(dir, names)
  const target = await createFolder({ 'site/index.js': '' })
  await copyPackages(packages, join(target, 'site'))
  const require = createRequire(join(target, 'site/index.js'))
  return { paths: packages.map(({ to }) => to), missing, require, target: join(target, 'site') }
}

describe('the packages of a container', () => {
  test('K4 are those of the site with their production dependencies, nested ones in their places', async () => {
    const dir = await createFolder({
      ...packageAt('node_modules/native', '1.0.0', {
        dependencies: { shared: '^1' },
        devDependencies: { typescript: '*' },
      }),
      ...packageAt('node_modules/@scope/driver', '2.0.0', { dependencies: { shared: '^2', native: '*' } }),
      ...packageAt('node_modules/shared', '1.5.0'),
      ...packageAt('node_modules/@scope/driver/node_modules/shared', '2.5.0'),
      ...packageAt('node_modules/typescript', '7.0.0'),
      ...packageAt('node_modules/unrelated', '1.0.0'),
    })
    const { paths, require, missing } = await copied(dir, ['@scope/driver'])
    expect(paths).toEqual([
      'node_modules/@scope/driver',
      'node_modules/native',
      'node_modules/native/node_modules/shared',
      'node_modules/shared',
    ])
    expect(missing).toEqual([])
    expect(require('@scope/driver')).toEqual({
      version: '2.0.0',
      shared: { version: '2.5.0' },
      native: { version: '1.0.0', shared: { version: '1.5.0' } },
    })
  })

  test('K4 are found in folders above the site, as npm installs those of workspaces', async () => {
    const dir = await createFolder(
      {
        ...packageAt('../node_modules/hoisted', '1.0.0', { dependencies: { shared: '^1' } }),
        ...packageAt('../node_modules/shared', '1.0.0'),
        ...packageAt('node_modules/shared', '2.0.0'),
      },
      'site',
    )
    const { require } = await copied(dir, ['hoisted', 'shared'])
    expect(require('hoisted')).toEqual({ version: '1.0.0', shared: { version: '1.0.0' } })
    expect(require('shared')).toEqual({ version: '2.0.0' })
  })

  test('K4 are found through links, as pnpm installs packages', async () => {
    const store = 'node_modules/.pnpm'
    const dir = await createFolder({
      ...packageAt(`${store}/a@1/node_modules/a`, '1.0.0', { dependencies: { b: '^1' } }),
      ...packageAt(`${store}/b@1/node_modules/b`, '1.0.0'),
    })
    await symlink('../../b@1/node_modules/b', join(dir, store, 'a@1/node_modules/b'))
    await symlink('.pnpm/a@1/node_modules/a', join(dir, 'node_modules/a'))
    const { require, paths } = await copied(dir, ['a'])
    expect(require('a')).toEqual({ version: '1.0.0', b: { version: '1.0.0' } })
    expect(paths).toEqual(['node_modules/a', 'node_modules/b'])
  })

  test('K4 may require each other', async () => {
    const dir = await createFolder({
      ...packageAt('node_modules/a', '1.0.0', { dependencies: { b: '1' } }),
      ...packageAt('node_modules/b', '1.0.0', { dependencies: { a: '1' } }),
    })
    expect((await copied(dir, ['a'])).paths).toEqual(['node_modules/a', 'node_modules/b'])
  })

  test('K4 have the optional dependencies for this system, and no peer that only development has', async () => {
    const dir = await createFolder({
      ...packageAt('node_modules/a', '1.0.0', {
        // npm lists an optional dependency in both.
        dependencies: { 'a-other-system': '1' },
        optionalDependencies: { 'a-this-system': '1', 'a-other-system': '1' },
        peerDependencies: { peer: '*', tool: '*', chosen: '*', 'not-installed': '*' },
        peerDependenciesMeta: { tool: { optional: true }, chosen: { optional: true } },
      }),
      ...packageAt('node_modules/a-this-system', '1.0.0'),
      ...packageAt('node_modules/peer', '1.0.0'),
      ...packageAt('node_modules/tool', '1.0.0'),
      ...packageAt('node_modules/chosen', '1.0.0'),
    })
    const namesOf = async (names: string[]) => (await readPackageTree(dir, names)).packages.map(({ name }) => name)
    expect(await namesOf(['a'])).toEqual(['a', 'a-this-system', 'peer'])
    expect(await namesOf(['a', 'chosen'])).toEqual(['a', 'a-this-system', 'chosen', 'peer'])
  })

  test('K4 are complete: what is not installed is named', async () => {
    const dir = await createFolder(packageAt('node_modules/a', '1.0.0', { dependencies: { gone: '1' } }))
    expect(await readPackageTree(dir, ['unknown'])).toEqual({ packages: [], missing: ['unknown'] })
    await expect(readPackageTree(dir, ['a'])).rejects.toThrow(
      'a: its dependency "gone" must be installed; run npm install',
    )
  })

  test('K4 are those of sharp with its library for this system', async () => {
    const { packages } = await readPackageTree(import.meta.dirname, ['sharp'])
    const names = packages.map(({ name }) => name)
    expect(names).toContain('sharp')
    expect(names).toContain('detect-libc')
    expect(names.some((name) => name.startsWith('@img/sharp-libvips-'))).toBe(true)
    expect(names).not.toContain('typescript')
  })

  test('K4 are copied without the packages in them, which are copied if they are needed', async () => {
    const dir = await createFolder({
      ...packageAt('node_modules/a', '1.0.0'),
      ...packageAt('node_modules/a/node_modules/left-over', '1.0.0'),
      'node_modules/a/lib/node_modules/file.txt': 'a part of the package',
    })
    const { target } = await copied(dir, ['a'])
    expect(existsSync(join(target, 'node_modules/a/node_modules'))).toBe(false)
    expect(existsSync(join(target, 'node_modules/a/lib/node_modules/file.txt'))).toBe(true)
  })
})
