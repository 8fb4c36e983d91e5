// `.env` files of the app folder: which value wins, and which text is no value.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EnvMode } from '@portico/shared/wire/environment/env-files.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAppEnvironment, watchAppEnvironment } from './app-environment.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-env-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const read = (inherited: NodeJS.ProcessEnv = {}, mode: EnvMode = 'development') =>
  readAppEnvironment({ appDir: dir, mode, inherited })
const put = (name: string, text: string) => writeFile(join(dir, name), text)

test('F3 prefers the more specific file, and the environment to all files', async () => {
  await put('.env', 'A=env\nB=env\nC=env\nD=env\nE=env\n')
  await put('.env.development', 'B=development\nC=development\nD=development\nE=development\n')
  await put('.env.local', 'C=local\nD=local\nE=local\n')
  await put('.env.development.local', 'D=both\nE=both\n')
  expect(read({ E: 'given' }).values).toEqual({
    A: 'env',
    B: 'development',
    C: 'local',
    D: 'both',
    E: 'given',
  })
})

test('F3 keeps an empty value of the environment', async () => {
  await put('.env', 'A=env\n')
  expect(read({ A: '' }).values).toEqual({ A: '' })
})

test('F3 reads quotes, comments and values over several lines', async () => {
  await put('.env', '# a comment\nexport A="two words" # said\nB=\'\\$A\'\nC="one\ntwo"\nD=\n')
  expect(read().values).toEqual({ A: 'two words', B: '$A', C: 'one\ntwo', D: '' })
})

test('K2 a value refers to values of other files and of the environment', async () => {
  await put('.env', 'HOST=a.example\nURL=https://$HOST/$NAME\n')
  await put('.env.local', 'HOST=b.example\n')
  expect(read({ NAME: 'given' }).values).toMatchObject({ URL: 'https://b.example/given' })
})

test('K2 reads the files of its mode only, and names those that it found', async () => {
  expect(read()).toEqual({ values: {}, files: [] })
  await put('.env', 'A=env\n')
  await put('.env.production', 'A=production\n')
  await put('.env.production.local', '')
  expect(read()).toEqual({ values: { A: 'env' }, files: ['.env'] })
  expect(read({}, 'production')).toEqual({
    values: { A: 'production' },
    files: ['.env', '.env.production', '.env.production.local'],
  })
})

test('F3 names a file that cannot be read', async () => {
  await mkdir(join(dir, '.env.local'))
  expect(() => read()).toThrow(/\.env\.local/)
})

test('F3 V1 reads the files again when one changes, and reports the changed names only', async () => {
  await put('.env', 'A=one\nB=one\n')
  const reported: { values: NodeJS.ProcessEnv; names: readonly string[] }[] = []
  const errors: unknown[] = []
  const close = watchAppEnvironment({
    appDir: dir,
    mode: 'development',
    inherited: { B: 'given' },
    onChange: (values, names) => void reported.push({ values, names }),
    onError: (error) => void errors.push(error),
  })
  try {
    await put('other.txt', 'text')
    // The environment wins: nothing changes.
    await put('.env', 'A=one\nB=two\n')
    await put('.env.local', 'C=new\n')
    await expect.poll(() => reported.at(-1)).toEqual({ values: { A: 'one', B: 'given', C: 'new' }, names: ['C'] })
    await rm(join(dir, '.env.local'))
    await expect.poll(() => reported.at(-1)).toEqual({ values: { A: 'one', B: 'given' }, names: ['C'] })
    expect(reported).toHaveLength(2)
    await mkdir(join(dir, '.env.local'))
    await expect.poll(() => String(errors.at(-1))).toContain('.env.local: cannot be read')
  } finally {
    close()
  }
})
