// The command `portico` as a program of this repository.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
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

test.each(['start', 'dev'])('K1 %s refuses an unknown option by name', (name) => {
  const { status, stderr } = run(name, '--unheard-of')
  expect([status, stderr]).toEqual([2, `portico ${name}: --unheard-of: unknown option; see portico ${name} --help\n`])
})

test.each([
  ['start', 'renderer=0'],
  ['dev', 'renderer=2'],
])('K3 %s ends with the code of a wrong option for --scale %s', (name, value) => {
  const { status, stdout } = run(name, '--scale', value)
  expect(status).toBe(2)
  expect(stdout).toContain('--scale')
})

describe('portico exec', () => {
  test('K1 runs a command on this Node, with its arguments, and passes its exit code on', () => {
    const { status, stdout } = run('exec', '--', 'node', '-e', 'console.log(process.execPath, 2); process.exit(7)')
    expect([status, stdout]).toEqual([7, `${process.execPath} 2\n`])
  })

  test('K1 runs a command with absolute paths of the site', () => {
    const code = "console.log(process.env.APP_DIR, process.env.PATH.split(':')[1])"
    const { stdout } = spawnSync(process.execPath, [CLI, 'exec', '--', 'node', '-e', code], {
      cwd: dirname(CLI),
      env: { ...process.env, APP_DIR: 'plan' },
      encoding: 'utf8',
    })
    const appDir = join(dirname(CLI), 'plan')
    expect(stdout).toBe(`${appDir} ${join(appDir, 'node_modules/.bin')}\n`)
  })

  test('K1 a command that a signal ended has the exit code of a shell', () => {
    expect(run('exec', '--', 'node', '-e', "process.kill(process.pid, 'SIGKILL')").status).toBe(137)
  })

  test.each([
    [[], 2, 'portico exec: no command: write the command after "--", as in portico exec -- npm rebuild'],
    [['npm', 'ci'], 2, 'portico exec: npm: write the command after "--", as in portico exec -- npm ci'],
    [['--', ''], 2, 'portico exec: no command: write the command after "--"'],
    [['--', 'unheard-of'], 127, 'portico exec: unheard-of could not be run'],
  ])('K1 refuses %j', (args, code, text) => {
    const { status, stderr } = run('exec', ...args)
    expect(status).toBe(code)
    expect(stderr).toContain(text)
  })
})

// PORTICO_TEST_REQUIRE=older-node makes its absence a failure; without it the run names what is left out.
const { OLDER_NODE_PATH = '' } = process.env

describe.skipIf(OLDER_NODE_PATH === '')('portico on a Node that does not run the stack', () => {
  const PORTICO = fileURLToPath(new URL('./portico.mjs', import.meta.url))

  test('K1 runs the command on the package of Node, with its arguments, output and exit code', () => {
    const code = "console.log(process.versions.node.split('.')[0], process.execPath); process.exit(7)"
    const args = [PORTICO, 'exec', '--', 'node', '-e', code]
    const { status, stdout } = spawnSync(OLDER_NODE_PATH, args, { encoding: 'utf8' })
    expect([status, stdout]).toEqual([7, expect.stringMatching(/^2[46] .*node_modules\/node-[\w-]+\/bin\/node\n$/)])
  })

  test('K1 passes signals on, and has the exit code of the command that one ended', async () => {
    const code = "process.on('SIGTERM', () => process.exit(5)); console.log('up'); setInterval(() => {}, 1000)"
    const child = spawn(OLDER_NODE_PATH, [PORTICO, 'exec', '--', 'node', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([5, null])
  })
})
