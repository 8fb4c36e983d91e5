// How gateway and images follow the manifest of a folder under development.

import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MANIFEST_FORMAT } from '../../wire/build-output.ts'
import { PORTICO_VERSION } from '../../wire/constants.ts'
import { devManifestFile, followDevBuild } from './dev-manifest.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-dev-manifest-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

/** Writes as the renderer does: a new file replaces the old one. */
async function write(buildId: string, version = PORTICO_VERSION): Promise<void> {
  const file = devManifestFile(dir)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, JSON.stringify({ format: MANIFEST_FORMAT, version, buildId }))
  await rename(`${file}.new`, file)
}

test('V1 waits for the first manifest and follows the later ones', async () => {
  const following = followDevBuild(dir)
  await write('dev-1')
  const current = await following
  expect(current().manifest.buildId).toBe('dev-1')
  await write('dev-2')
  expect(current().manifest.buildId).toBe('dev-2')
})

test('V1 returns the same build for a manifest that was rewritten without a change', async () => {
  await write('dev-1')
  const current = await followDevBuild(dir)
  const build = current()
  await write('dev-1')
  expect(current()).toBe(build)
  await write('dev-2')
  expect(current()).not.toBe(build)
})

test('V1 keeps the last build while there is no file', async () => {
  await write('dev-1')
  const current = await followDevBuild(dir)
  const build = current()
  await rm(devManifestFile(dir))
  expect(current()).toBe(build)
})

test('V1 K1 waits while the file is that of another version of Portico', async () => {
  await write('old', '0.0.9')
  const following = followDevBuild(dir)
  expect(await Promise.race([following, sleep(200, 'waits')])).toBe('waits')
  await write('dev-1')
  expect((await following)().manifest.buildId).toBe('dev-1')
})
