import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './sources.ts'

/**
 * A `docker` that records its arguments and runs one replica of each service but STOPPED. A signal ends one call and the
 * script.
 */
const DOCKER = `#!/bin/sh
echo "$*" >> "$CALLS"
if [ "$*" = "$INTERRUPTED" ]; then kill -$SIGNAL $PPID; exit 130; fi
case "$*" in
  "compose ps --quiet $STOPPED") ;;
  'compose ps --all --quiet '*) echo replica; grep -q "scale $5=2 $5" "$CALLS" && echo added; true ;;
  'compose ps --quiet '*) echo replica; grep -q "scale $4=2 $4" "$CALLS" && echo added; true ;;
  *"scale $FAILING=2 $FAILING") exit 1 ;;
  "compose config --hash $CHANGED") echo "$CHANGED new" ;;
  'compose config --hash '*) echo "$4 same" ;;
  *config-hash*) echo same ;;
  'inspect '*) echo image ;;
  'compose build') exit "$BUILD_CODE" ;;
  'compose port gateway 8080') echo "0.0.0.0:$PUBLISHED" ;;
esac
`

interface Update {
  args?: string[]
  buildCode?: number
  /** 0 is what compose reports for one that is not published. */
  publishedPort?: number
  failing?: string
  stopped?: string
  /** A store whose configuration is another one. */
  changed?: string
  interrupted?: string
  signal?: string
}

/** Runs the script. */
function update({ args = [], buildCode = 0, publishedPort = 0, signal = 'INT', ...services }: Update) {
  const { failing = 'none', stopped = 'none', interrupted = 'none', changed = 'none' } = services
  const folder = mkdtempSync(join(tmpdir(), 'update-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'docker'), DOCKER)
  chmodSync(join(folder, 'docker'), 0o755)
  const calls = join(folder, 'calls')
  const env = {
    PATH: `${folder}:/usr/bin:/bin`,
    CALLS: calls,
    BUILD_CODE: String(buildCode),
    FAILING: failing,
    STOPPED: stopped,
    CHANGED: changed,
    PUBLISHED: String(publishedPort),
    INTERRUPTED: interrupted,
    SIGNAL: signal,
  }
  const { status, stderr } = spawnSync('sh', [join(root, 'docker/update.sh'), ...args], { env, encoding: 'utf8' })
  return { status, stderr, commands: readFileSync(calls, 'utf8').trim().split('\n') }
}

test('O5 a build that fails leaves the images that docker/update.sh can go back to', () => {
  const { status, commands } = update({ buildCode: 17 })
  expect(status).toBe(17)
  expect(commands.at(-1)).toBe('compose build')
  expect(commands.filter((call) => call.startsWith('image tag'))).toEqual([])
})

test('O5 an update keeps the images that ran for `back`, which builds nothing and takes them again', () => {
  const images = ({ commands }: { commands: string[] }) =>
    commands.filter((call) => /^(compose build|image tag)/.test(call))
  expect(images(update({}))).toEqual(['compose build', ...Array(4).fill('image tag image image:previous')])
  expect(images(update({ args: ['back'] }))).toEqual(Array(4).fill('image tag image:previous image'))
})

test('O5 docker/update.sh changes nothing while a service does not run, and names the service', () => {
  const { status, stderr, commands } = update({ stopped: 'images' })
  expect([status, stderr]).toEqual([1, 'images does not run: start the stack with docker compose up\n'])
  expect(commands.filter((call) => !call.startsWith('compose ps'))).toEqual([])
})

test('O5 docker/update.sh says that a published gateway refuses connections, and why, before it builds', () => {
  const { status, stderr, commands } = update({ buildCode: 17, publishedPort: 8080 })
  expect([status, commands.at(-1)]).toEqual([17, 'compose build'])
  expect(stderr).toContain('Docker gives a port of the machine to one container at a time')
  expect(stderr).toContain('docker/compose.https.yml')
  expect(readFileSync(join(root, 'docs/updating.md'), 'utf8')).toContain('\n## Updating\n')
})

test.each(['redis-state', 'redis-cache'])(
  'O12 docker/update.sh says before it builds that %s has another configuration, and how it is replaced',
  (changed) => {
    const { status, stderr, commands } = update({ buildCode: 17, changed })
    expect([status, commands.at(-1)]).toEqual([17, 'compose build'])
    expect(stderr).toContain(`${changed} runs with another configuration`)
    expect(stderr).toContain(`\n  docker compose up --detach --no-deps --wait ${changed}\n`)
    expect(stderr.match(/another configuration/g)).toHaveLength(1)
  },
)

test('O5 a published gateway is recreated, and every other service has its new replica first', () => {
  const { status, commands } = update({ publishedPort: 8080 })
  expect(status).toBe(0)
  const recreated = commands.filter((call) => call.includes('--force-recreate'))
  expect(recreated).toEqual(['compose up --detach --no-deps --no-build --force-recreate --wait gateway'])
  expect(commands.filter((call) => call.includes('--scale')).map((call) => call.split(' ').at(-1))).toEqual([
    'renderer',
    'actions',
    'images',
  ])
})

test('O5 a gateway behind a proxy is replaced like the other services, without a warning', () => {
  const { status, stderr, commands } = update({})
  expect([status, stderr]).toEqual([0, ''])
  expect(commands.filter((call) => call.includes('--force-recreate'))).toEqual([])
  expect(commands).toContain('compose up --detach --no-deps --no-build --no-recreate --wait --scale gateway=2 gateway')
})

test('O5 O12 renderers and actions of both builds run while the gateway is replaced, and the new ones are removed if that fails', () => {
  const steps = ({ commands }: { commands: string[] }) =>
    commands.filter((call) => /^(compose up|stop)/.test(call)).map((call) => call.replace(/ -.* /, ' '))
  expect(steps(update({}))).toEqual([
    'compose up renderer',
    'compose up actions',
    'compose up gateway',
    // Gateway, renderer, actions.
    ...Array(3).fill('stop replica'),
    'compose up images',
    'stop replica',
  ])
  const failed = update({ failing: 'gateway' })
  expect(failed.status).toBe(1)
  expect(failed.stderr).toContain('the new replicas of gateway did not become ready and were removed')
  expect(steps(failed)).toEqual([
    'compose up renderer',
    'compose up actions',
    'compose up gateway',
    ...Array(2).fill('stop added'),
  ])
  const withoutActions = update({ failing: 'actions' })
  expect(withoutActions.stderr).toContain('the new replicas of actions did not become ready and were removed')
  expect(steps(withoutActions)).toEqual(['compose up renderer', 'compose up actions', 'stop added'])
  expect(failed.commands).toContain('logs --tail 5 added')
})

test.each(['HUP', 'INT', 'TERM'])(
  'O5 an update that SIG%s ends leaves old or new replicas of a service, never both',
  (signal) => {
    const up = (service: string) =>
      `compose up --detach --no-deps --no-build --no-recreate --wait --scale ${service}=2 ${service}`
    const starting = update({ interrupted: up('renderer'), signal })
    expect([starting.status, starting.stderr]).toEqual([1, expect.stringContaining('the old replicas keep running')])
    expect(starting.commands.at(-1)).toBe('rm --force added')
    const gateway = update({ interrupted: up('gateway'), signal })
    const removed = ['stop added', 'rm --force added']
    expect([gateway.status, gateway.commands.filter((call) => removed.includes(call))]).toEqual([
      1,
      // Those of the renderer and of actions.
      expect.arrayContaining([...removed, ...removed]),
    ])
    const stopping = update({ interrupted: 'stop replica', signal })
    expect([stopping.status, stopping.stderr]).toEqual([1, expect.stringContaining('before images was replaced')])
    // One of the gateway, of the renderer, and of actions each.
    expect(stopping.commands.filter((call) => call === 'rm --force replica')).toHaveLength(3)
    expect(stopping.commands).not.toContain(up('images'))
  },
)
