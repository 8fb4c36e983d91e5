// The checks of the stack before it starts a process.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@portico/shared/kit/config/config.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkMachine } from './preflight.ts'

let folder: string
let taken: Server | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-preflight-'))
  await mkdir(join(folder, 'site', 'pages'), { recursive: true })
})

afterEach(async () => {
  taken?.close()
  await rm(folder, { recursive: true, force: true })
})

async function faultsOf(changes: Partial<Parameters<typeof checkMachine>[0]>) {
  const good = { host: '127.0.0.1', port: 0, appDir: join(folder, 'site'), isDevelopment: false }
  const folders = { dataDir: join(folder, 'data'), cacheDir: join(folder, 'data', 'cache') }
  const error = await checkMachine({ ...good, ...folders, ...changes }).catch((thrown: unknown) => thrown)
  return error instanceof ConfigError ? error.faults : error
}

describe('checks before the start', () => {
  test('O1 accepts good settings and creates the folders', async () => {
    expect(await faultsOf({})).toBeUndefined()
  })

  test('O1 names the port that is in use', async () => {
    const port = await freePort()
    taken = createServer()
    await new Promise<void>((done) => taken?.listen(port, '127.0.0.1', done))
    expect(await faultsOf({ port })).toEqual([
      { name: 'PORT', value: String(port), rule: 'a free port: another program listens on it' },
    ])
  })

  test('O1 names an address of another machine', async () => {
    expect(await faultsOf({ host: '192.0.2.1' })).toEqual([
      expect.objectContaining({ name: 'HOST', value: '192.0.2.1' }),
    ])
    expect(await faultsOf({ host: '192.0.2.1', isDevelopment: true })).toEqual([
      expect.objectContaining({ name: '--host', value: '192.0.2.1' }),
    ])
  })

  test('O1 names all unusable folders together', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const appDir = join(folder, 'nowhere')
    expect(await faultsOf({ dataDir: join(file, 'x'), cacheDir: file, appDir })).toEqual([
      expect.objectContaining({ name: 'DATA_DIR', rule: expect.stringMatching('must|can be written') }),
      expect.objectContaining({ name: 'CACHE_DIR', value: file }),
      { name: 'APP_DIR', value: appDir, rule: 'a folder that contains pages/' },
    ])
  })

  test('O1 names an App Router that a folder has in the place of pages', async () => {
    const appDir = join(folder, 'router')
    await mkdir(join(appDir, 'src/app'), { recursive: true })
    expect(await faultsOf({ appDir })).toEqual([
      expect.objectContaining({
        rule: expect.stringMatching(/; src\/app\/ has routes of the App Router, .* portico check/),
      }),
    ])
  })
})
