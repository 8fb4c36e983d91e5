// The commands of authors as they are started, with what does not belong on their command line.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const run = (file: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, file), ...args], { cwd: root, encoding: 'utf8' })

describe.each([
  ['build', 'web/build/cli.ts'],
  ['types', 'web/build/types-cli.ts'],
])('npm run %s', (command, file) => {
  test('O1 says how a folder is named instead of taking the sample site', () => {
    const { status, stdout, stderr } = run(file, '../mysite')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      `npm run ${command} takes no "../mysite"; APP_DIR names the folder: APP_DIR=../mysite npm run ${command}\n`,
    )
  })

  test('O1 shows its help and does nothing', () => {
    const { status, stdout } = run(file, '--help')
    expect(status).toBe(0)
    expect(stdout).toContain(`APP_DIR=../mysite npm run ${command}`)
    expect(stdout).toContain('--help')
  })
})
