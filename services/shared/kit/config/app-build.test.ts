import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MANIFEST_FORMAT } from '../../wire/build-output.ts'
import { PORTICO_VERSION } from '../../wire/constants.ts'
import { loadActionsBundle, loadAppBuild, loadServerBundle } from './app-build.ts'

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-loaded-'))
  for (const part of ['server', 'actions']) {
    await mkdir(join(dir, 'dist', part), { recursive: true })
    await writeFile(join(dir, 'dist', part, 'entry.js'), `export const bundle = { part: '${part}' }`)
  }
})
afterAll(() => rm(dir, { recursive: true, force: true }))
const manifest = (text: string) => writeFile(join(dir, 'dist/manifest.json'), text)

it('W1 names the remedy when there is no build', async () => {
  await expect(loadAppBuild(join(dir, 'none'))).rejects.toThrow(
    `APP_DIR=${join(dir, 'none')}: the folder has no build; run \`portico build\` first`,
  )
})

it.each(['{"format":', 'null', '[]', '{"buildId":7}'])(
  'W1 rejects the manifest %s and names the remedy',
  async (text) => {
    await manifest(text)
    await expect(loadAppBuild(dir)).rejects.toThrow(/run `portico build` again/)
  },
)

it('W1 refuses the build of another version', async () => {
  await manifest(JSON.stringify({ format: MANIFEST_FORMAT + 1, version: PORTICO_VERSION, buildId: 'b1' }))
  await expect(loadAppBuild(dir)).rejects.toThrow('`portico build` again')
})

it('W7 loads each bundle by its entry', async () => {
  await manifest(JSON.stringify({ format: MANIFEST_FORMAT, version: PORTICO_VERSION, buildId: 'b1' }))
  const build = await loadAppBuild(dir)
  expect(build).toMatchObject({ dir: join(dir, 'dist'), manifest: { buildId: 'b1' } })
  expect(await loadServerBundle(build)).toEqual({ part: 'server' })
  expect(await loadActionsBundle(build)).toEqual({ part: 'actions' })
})
