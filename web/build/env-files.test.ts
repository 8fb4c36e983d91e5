import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { environmentLine, provideEnvFiles } from './env-files.ts'
import { createFolder, removeFolders } from './testing/folders.ts'

afterEach(() => vi.unstubAllEnvs())
afterAll(removeFolders)

test('K2 a build reads the files of production, the more specific one first, and the environment wins', async () => {
  const names = ['ENV_FILE_A', 'ENV_FILE_B', 'ENV_FILE_C', 'ENV_FILE_D'] as const
  for (const name of names) vi.stubEnv(name, undefined)
  vi.stubEnv('ENV_FILE_D', 'given')
  const dir = await createFolder({
    '.env': names.map((name) => `${name}=env\n`).join(''),
    '.env.production': 'ENV_FILE_B=production\nENV_FILE_C=production\n',
    '.env.local': 'ENV_FILE_C=local\nENV_FILE_D=local\n',
    '.env.development': 'ENV_FILE_A=development\n',
  })
  expect(provideEnvFiles(dir)).toEqual(['.env', '.env.production', '.env.local'])
  expect(names.map((name) => process.env[name])).toEqual(['env', 'production', 'local', 'given'])
})

test('K2 a build names a file that cannot be read', async () => {
  const dir = await createFolder()
  await mkdir(join(dir, '.env.local'))
  expect(() => provideEnvFiles(dir)).toThrow(/^\.env\.local: cannot be read: /)
})

const RULE = { type: 'string' } as const

test.each([
  [
    ['.env', '.env.local'],
    { publicEnv: { A: RULE, B: RULE } },
    [],
    'read .env, .env.local; browsers receive A, B (publicEnv)',
  ],
  [[], { publicEnv: {} }, [], 'no .env file; browsers receive no value (publicEnv)'],
  [
    [],
    { publicEnv: {}, codeEnv: { M: { browser: true }, N: { default: '', browser: true }, OF_SERVER: {} } },
    ['C', 'D'],
    'no .env file; browsers receive no value (publicEnv), and M, N (read at start; no value here: M), and C, D (inlined)',
  ],
] as const satisfies [string[], Parameters<typeof environmentLine>[1], string[], string][])(
  'K2 the line for %j, %j and %j is %j',
  (files, manifest, inlined, line) => {
    expect(environmentLine(files, manifest, inlined)).toBe(`Environment: ${line}`)
  },
)
