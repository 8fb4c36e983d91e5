// The authors' commands, started as npm starts them, with unexpected arguments.

import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { FRAMEWORK } from './framework-files.ts'
import { createFolder, removeFolders } from './testing/folders.ts'

afterEach(removeFolders)

const run = (file: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(FRAMEWORK, file), ...args], { cwd: FRAMEWORK, encoding: 'utf8' })

describe.each([
  ['build', 'web/build/cli.ts'],
  ['types', 'web/build/types-cli.ts'],
])('portico %s', (command, file) => {
  test('O1 rejects an argument and names APP_DIR, instead of building the sample site', () => {
    const { status, stdout, stderr } = run(file, '../mysite')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      `portico ${command}: unexpected argument "../mysite"; APP_DIR names the folder: APP_DIR=../mysite portico ${command}\n`,
    )
  })

  test('O1 prints its help and does nothing else', () => {
    const { status, stdout } = run(file, '--help')
    expect(status).toBe(0)
    expect(stdout).toContain(`APP_DIR=../mysite portico ${command}`)
    expect(stdout).toContain('--help')
  })
})

test('F1 portico types --if-present writes nothing in a folder without pages', async () => {
  const dir = await createFolder({ 'package.json': '{}' })
  const { status, stdout } = spawnSync(process.execPath, [join(FRAMEWORK, 'web/build/types-cli.ts'), '--if-present'], {
    env: { ...process.env, APP_DIR: dir },
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, `portico types: no types are written, because ${dir} has no pages\n`])
  expect(readdirSync(dir)).toEqual(['package.json'])
})

test('F1 portico types reports that no tsconfig.json extends what it writes', async () => {
  const dir = await createFolder({ 'pages/index.tsx': 'export default () => null' })
  const { status, stderr } = spawnSync(process.execPath, [join(FRAMEWORK, 'web/build/types-cli.ts')], {
    env: { ...process.env, APP_DIR: dir },
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^tsconfig\.json: is missing, .*"extends": .*\n$/)])
})

test('K1 portico types reports a folder that cannot be written in one line', async () => {
  const dir = await createFolder({ 'package.json': '{}', 'pages/index.js': '', '.portico': 'a file' })
  const { status, stderr } = spawnSync(process.execPath, [join(FRAMEWORK, 'web/build/types-cli.ts')], {
    env: { ...process.env, APP_DIR: dir },
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^\/.*\/\.portico[^\n]*: cannot be read or written \((EEXIST|ENOTDIR): [a-z ]+\)\n$/)
})
