import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { findFaults, writeSiteFiles } from './site-files.ts'

const CLI = join(import.meta.dirname, 'containers-cli.ts')

afterEach(removeFolders)
afterEach(() => void vi.unstubAllEnvs())

async function run(appDir: string, ...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, APP_DIR: appDir } })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, err, code: code as number }
}

describe('portico containers', () => {
  test('K4 writes the files that the site lacks, names those that differ, and overwrites with force only', async () => {
    const dir = await createFolder({ Dockerfile: 'FROM scratch\n' })
    expect(await writeSiteFiles(dir, { force: false })).toEqual([
      'Dockerfile: differs from the file of this version of Portico; --force overwrites it',
      'docker-compose.yml: written',
      '.dockerignore: written',
      'docker-bake.hcl: written',
    ])
    expect(await readFile(join(dir, 'Dockerfile'), 'utf8')).toBe('FROM scratch\n')
    expect(await findFaults(dir)).toEqual(['Dockerfile: differs from the file of this version of Portico'])
    expect((await writeSiteFiles(dir, { force: true }))[0]).toBe('Dockerfile: overwritten')
    expect(await readFile(join(dir, 'Dockerfile'), 'utf8')).toContain('FROM service AS gateway')
    expect(await findFaults(dir)).toEqual([])
  })

  test('K1 exits with 1 when --check finds a difference, and with 2 for options that do not go together', async () => {
    const dir = await createFolder({ 'package.json': '{}' })
    const [checked, refused] = await Promise.all([run(dir, '--check'), run(dir, '--check', '--force')])
    expect(checked).toEqual({
      out: '',
      err: 'Dockerfile: is missing\ndocker-compose.yml: is missing\n.dockerignore: is missing\ndocker-bake.hcl: is missing\n',
      code: 1,
    })
    expect(refused).toEqual({
      out: '',
      err: 'portico containers: --force --check: cannot be combined; give one of them; see portico containers --help\n',
      code: 2,
    })
  })

  test('K4 the time of the labels is SOURCE_DATE_EPOCH, and a value that is no number is refused', async () => {
    const dir = await createFolder({ 'package.json': '{}' })
    vi.stubEnv('SOURCE_DATE_EPOCH', '1767323045')
    expect((await run(dir, '--labels')).out).toContain("LABEL_CREATED='2026-01-02T03:04:05Z'\n")
    vi.stubEnv('SOURCE_DATE_EPOCH', 'yesterday')
    const err = 'SOURCE_DATE_EPOCH=yesterday: must be a number of seconds\n'
    expect(await run(dir, '--labels')).toEqual({ out: '', err, code: 1 })
  })

  test.each([[], ['--check'], ['--labels']])('K4 refuses a folder that is no site, with %j', async (...given) => {
    const dir = await createFolder()
    expect(await run(dir, ...given)).toEqual({
      out: '',
      err: `APP_DIR=${dir}: has no package.json; run the command in the folder of a site\n`,
      code: 1,
    })
    expect(await readdir(dir)).toEqual([])
  })
})
