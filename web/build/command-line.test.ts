// The authors' commands, started as npm starts them, with unexpected arguments.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { REPOSITORY } from './framework-files.ts'

const run = (file: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(REPOSITORY, file), ...args], { cwd: REPOSITORY, encoding: 'utf8' })

describe.each([
  ['build', 'web/build/cli.ts'],
  ['types', 'web/build/types-cli.ts'],
])('npm run %s', (command, file) => {
  test('O1 rejects an argument and names APP_DIR, instead of building the sample site', () => {
    const { status, stdout, stderr } = run(file, '../mysite')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      `npm run ${command}: unexpected argument "../mysite"; APP_DIR names the folder: APP_DIR=../mysite npm run ${command}\n`,
    )
  })

  test('O1 prints its help and does nothing else', () => {
    const { status, stdout } = run(file, '--help')
    expect(status).toBe(0)
    expect(stdout).toContain(`APP_DIR=../mysite npm run ${command}`)
    expect(stdout).toContain('--help')
  })
})
