import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { readLabels } from './site-files.ts'

const NOW = new Date('2026-01-02T03:04:05.678Z')

afterEach(removeFolders)

const labelsOf = async (manifest: Record<string, unknown>) =>
  readLabels(await createFolder({ 'package.json': JSON.stringify(manifest) }), NOW)

describe('the labels of images', () => {
  test('K4 are source, version and licence of package.json, and the time of the build', async () => {
    const repository = { type: 'git', url: 'git+https://git.example.org/mysite.git' }
    expect(await labelsOf({ version: '1.2.3', license: 'MIT OR Apache-2.0', repository })).toEqual([
      "LABEL_SOURCE='https://git.example.org/mysite.git'",
      "LABEL_REVISION=''",
      "LABEL_CREATED='2026-01-02T03:04:05Z'",
      "LABEL_VERSION='1.2.3'",
      "LABEL_LICENSES='MIT OR Apache-2.0'",
    ])
    const withToken = await labelsOf({ repository: 'git+https://ida:to@ken@git.example.org/mysite.git' })
    expect(withToken[0]).toBe("LABEL_SOURCE='https://git.example.org/mysite.git'")
    expect((await labelsOf({ repository: 'git@git.example.org:ida/mysite.git' }))[0]).toContain('git@git.example.org')
    expect((await labelsOf({ repository: 'ida/mysite' }))[0]).toBe("LABEL_SOURCE='https://github.com/ida/mysite'")
  })

  test('K4 are empty where package.json has no text', async () => {
    expect(await labelsOf({ license: { type: 'MIT' } })).toContain("LABEL_LICENSES=''")
  })

  test('K4 cannot run commands in the shell that reads them', async () => {
    for (const license of ["'; echo sesame; '", 'MIT\n', 'MIT\0'])
      await expect(labelsOf({ license })).rejects.toThrow(
        /the value of LABEL_LICENSES must have no quote, no line break and no control character$/,
      )
  })

  test('K4 name the commit, and say when files differ from it', async () => {
    const dir = await createFolder({ 'package.json': '{}' })
    const user = ['-c', 'user.name=Ida', '-c', 'user.email=ida@example.org']
    const git = (...args: string[]) => execFileSync('git', [...user, ...args], { cwd: dir, encoding: 'utf8' }).trim()
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '--no-verify', '--message', 'first')
    const commit = git('rev-parse', 'HEAD')
    expect((await readLabels(dir, NOW))[1]).toBe(`LABEL_REVISION='${commit}'`)
    writeFileSync(join(dir, 'package.json'), '{ }')
    expect((await readLabels(dir, NOW))[1]).toBe(`LABEL_REVISION='${commit}-dirty'`)
  })
})
