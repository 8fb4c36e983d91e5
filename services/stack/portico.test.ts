// The command `portico` as a program of this repository.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from './commands.ts'

const CLI = fileURLToPath(new URL('./portico-cli.ts', import.meta.url))
const run = (...args: string[]) => spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' })

describe('portico', () => {
  test('K1 lists its commands', () => {
    const { status, stdout } = run('--help')
    expect(status).toBe(0)
    for (const name of Object.keys(COMMANDS)) expect(stdout).toContain(`portico ${name} `)
  })

  test('K1 refuses an unknown command by name', () => {
    const { status, stdout, stderr } = run('publish')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^portico: "publish" is not a command; the commands:\n/)
  })

  test.each(Object.keys(COMMANDS))('K1 %s --help describes the command and names it as it is typed', (name) => {
    const { status, stdout, stderr } = run(name, '--help')
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`portico ${name}`)
  })
})

test('K1 start refuses an unknown option by name', () => {
  const { status, stderr } = run('start', '--unheard-of')
  expect([status, stderr]).toEqual([2, 'portico start: --unheard-of: unknown option; see portico start --help\n'])
})

describe('portico exec', () => {
  test('K1 runs a command on this Node, with its arguments, and passes its exit code on', () => {
    const { status, stdout } = run('exec', '--', 'node', '-e', 'console.log(process.execPath, 2); process.exit(7)')
    expect([status, stdout]).toEqual([7, `${process.execPath} 2\n`])
  })

  test('K1 a command that a signal ended has the exit code of a shell', () => {
    expect(run('exec', '--', 'node', '-e', "process.kill(process.pid, 'SIGKILL')").status).toBe(137)
  })

  test.each([
    [[], 2, 'portico exec: no command; write it after "--"'],
    [['npm'], 2, 'portico exec: no command; write it after "--"'],
    [['--', 'unheard-of'], 127, 'portico exec: unheard-of could not be run'],
  ])('K1 refuses %j', (args, code, text) => {
    const { status, stderr } = run('exec', ...args)
    expect(status).toBe(code)
    expect(stderr).toContain(text)
  })
})
