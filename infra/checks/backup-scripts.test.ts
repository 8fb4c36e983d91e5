// docker/backup.sh and docker/restore.sh end to end, with a `docker` that runs the commands of containers on this machine:
// real archives, a real SQLite file, a real PostgreSQL. infra/e2e/long runs them with containers, where the Redis is real, too.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hasPostgres, type Postgres, startPostgres } from '@portico/shared/kit/testing/postgres-server.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { root } from './sources.ts'

/**
 * Volumes are folders of $VOLUMES; the tools of PostgreSQL reach the server of the test. FAIL names a failing call, CUT one
 * whose output is cut short without an error, STOP one during which the script receives SIGNAL.
 */
const DOCKER = `#!/bin/bash
echo "$*" >> "$CALLS"
if [ -n "$FAIL" ] && [[ "$*" == *"$FAIL"* ]]; then exit 17; fi
if [ -n "$STOP" ] && [[ "$*" == *"$STOP"* ]]; then kill -$SIGNAL $PPID; fi
if [ -n "$CUT" ] && [[ "$*" == *"$CUT"* ]]; then exec > >(head -c 20); fi
case "$*" in
  'compose config --services') echo "$SERVICES" | tr ' ' '\\n' ;;
  'compose run '*)
    shift 5
    data=$VOLUMES/$1
    shift
    "\${@//\\/data/$data}" ;;
  'compose exec '*) shift 4; exec "$@" ;;
esac
`
let folder: string
let server: Postgres | undefined
let environment: Record<string, string>

beforeAll(async () => {
  if (!hasPostgres()) return
  server = await startPostgres()
  spawnSync('psql', [server.url, '-c', 'CREATE ROLE site SUPERUSER LOGIN'])
})
afterAll(() => server?.stop())

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backup-'))
  writeFileSync(join(folder, 'docker'), DOCKER)
  chmodSync(join(folder, 'docker'), 0o755)
  for (const name of ['actions', 'redis-state']) mkdirSync(join(folder, 'volumes', name), { recursive: true })
  environment = {
    PATH: `${folder}:${process.env.PATH}`,
    CALLS: join(folder, 'calls'),
    VOLUMES: join(folder, 'volumes'),
    SERVICES: 'gateway actions redis-state',
    ...(server && { PGHOST: '127.0.0.1', PGPORT: new URL(server.url).port }),
  }
  return () => rmSync(folder, { recursive: true, force: true })
})

const script = (name: 'backup' | 'restore', more: Record<string, string> = {}) =>
  spawnSync('sh', [join(root, `docker/${name}.sh`), join(folder, 'copy')], {
    env: { ...environment, ...more },
    encoding: 'utf8',
  })
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
const openCards = () => new DatabaseSync(join(folder, 'volumes/actions/atlas.sqlite'))
const psql = (database: string, sql: string) => {
  const args = ['--username', 'site', '--dbname', database, '--no-align', '--tuples-only', '--command', sql]
  const { status, stdout, stderr } = spawnSync('psql', args, { env: environment, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return stdout.trim()
}

test('O2 a backup brings back the files of actions and of the state Redis as they were, and nothing later', () => {
  const cards = openCards()
  cards.exec(`CREATE TABLE cards (text TEXT); INSERT INTO cards VALUES ('kept')`)
  writeFileSync(join(folder, 'volumes/redis-state/.aof'), 'state')
  expect(script('backup')).toMatchObject({ status: 0, stderr: '' })
  expect(readdirSync(join(folder, 'copy'))).toEqual(['redis-state.tar.gz', 'site-data.tar.gz'])
  expect(statSync(join(folder, 'copy/site-data.tar.gz')).mode & 0o077).toBe(0)
  expect([calls()[1], calls().at(-1)]).toEqual([
    'compose pause actions renderer redis-state',
    'compose unpause actions renderer redis-state',
  ])

  cards.exec(`INSERT INTO cards VALUES ('too late')`)
  cards.close()
  for (const name of ['actions/later', 'redis-state/.later']) writeFileSync(join(folder, 'volumes', name), '')
  writeFileSync(join(folder, 'volumes/redis-state/.aof'), 'changed')
  expect(script('restore')).toMatchObject({ status: 0, stderr: '' })
  const restored = openCards()
  expect(restored.prepare('SELECT text FROM cards').all()).toEqual([{ text: 'kept' }])
  restored.close()
  expect(readFileSync(join(folder, 'volumes/redis-state/.aof'), 'utf8')).toBe('state')
  expect(
    existsSync(join(folder, 'volumes/actions/later')) || existsSync(join(folder, 'volumes/redis-state/.later')),
  ).toBe(false)
  expect(calls().at(-1)).toBe('compose up --detach --wait')
})

test('O2 a backup that fails leaves no folder behind, and the services run again', () => {
  const { status, stderr } = script('backup', { FAIL: 'redis-state tar' })
  expect([status, stderr]).toEqual([17, 'no backup was made (see the lines above)\n'])
  expect(calls().at(-1)).toBe('compose unpause actions renderer redis-state')
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual([])
  expect(script('backup').status).toBe(0)
  expect(script('backup')).toMatchObject({
    status: 1,
    stderr: `${join(folder, 'copy')} exists: a backup needs a new folder\n`,
  })
})

test.each(['HUP', 'INT', 'TERM'])(
  'O2 a backup or restore that SIG%s ends says what is left, and leaves nothing paused',
  (SIGNAL) => {
    const stopped = script('backup', { STOP: 'redis-state tar', SIGNAL })
    expect([stopped.status, stopped.stderr]).toEqual([1, 'no backup was made (see the lines above)\n'])
    expect(calls().at(-1)).toBe('compose unpause actions renderer redis-state')
    expect(script('backup').status).toBe(0)
    const early = script('restore', { STOP: 'compose down', SIGNAL })
    expect([early.status, early.stderr]).toEqual([1, expect.stringContaining('no data was changed')])
    const late = script('restore', { STOP: 'compose run', SIGNAL })
    expect([late.status, late.stderr]).toEqual([1, expect.stringContaining('some data is missing: run this command')])
    expect(script('restore').status).toBe(0)
  },
)

test('O2 a backup whose copies do not arrive whole, as on a full disk, is no backup', () => {
  writeFileSync(join(folder, 'volumes/redis-state/.aof'), 'state')
  const { status, stderr } = script('backup', { CUT: 'redis-state tar' })
  expect([status === 0, stderr]).toEqual([false, expect.stringContaining('no backup was made')])
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual([])
})

test('O2 a backup that is damaged, or of other services, is refused before the stack stops', () => {
  expect(script('backup').status).toBe(0)
  const { status, stderr } = script('restore', { SERVICES: 'actions redis-state postgres' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('postgres.dump is missing')])
  writeFileSync(join(folder, 'copy/postgres.dump'), 'x')
  expect(script('restore')).toMatchObject({ status: 1, stderr: expect.stringContaining('needs the service postgres') })
  rmSync(join(folder, 'copy/postgres.dump'))
  writeFileSync(join(folder, 'copy/site-data.tar.gz'), 'x')
  expect(script('restore').status).not.toBe(0)
  expect(calls().some((call) => call.startsWith('compose down'))).toBe(false)
})

describe.skipIf(!hasPostgres())('with PostgreSQL', () => {
  test('O2 a backup brings back the rows of the database, and a dump that is damaged leaves them', async () => {
    psql('postgres', 'DROP DATABASE IF EXISTS site')
    psql('postgres', 'CREATE DATABASE site')
    const services = { SERVICES: 'actions redis-state postgres' }
    psql(
      'site',
      `CREATE TABLE cards (id bigint GENERATED ALWAYS AS IDENTITY, text text); INSERT INTO cards (text) VALUES ('kept')`,
    )
    expect(script('backup', services)).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(join(folder, 'copy'))).toEqual(['postgres.dump', 'redis-state.tar.gz', 'site-data.tar.gz'])

    psql('site', `INSERT INTO cards (text) VALUES ('too late'); CREATE TABLE of_a_later_build (id int)`)
    const dump = readFileSync(join(folder, 'copy/postgres.dump'))
    rmSync(join(folder, 'copy'), { recursive: true })
    const cut = script('backup', { ...services, CUT: 'pg_dump' })
    expect([cut.status === 0, cut.stderr]).toEqual([false, expect.stringContaining('no backup was made')])
    expect(script('backup', services).status).toBe(0)
    writeFileSync(join(folder, 'copy/postgres.dump'), dump.subarray(0, dump.length - 40))
    const damaged = script('restore', services)
    expect([damaged.status === 0, damaged.stderr]).toEqual([false, expect.stringContaining('no data was changed')])
    expect(psql('site', 'SELECT text FROM cards ORDER BY id')).toBe('kept\ntoo late')

    writeFileSync(join(folder, 'copy/postgres.dump'), dump)
    expect(script('restore', services)).toMatchObject({ status: 0, stderr: '' })
    expect(psql('site', 'SELECT text FROM cards ORDER BY id')).toBe('kept')
    expect(psql('site', `SELECT to_regclass('of_a_later_build') IS NULL`)).toBe('t')
    expect(psql('site', `INSERT INTO cards (text) VALUES ('next') RETURNING id`)).toMatch(/^2\b/)

    psql('postgres', 'DROP DATABASE site')
    expect(script('restore', services).status).toBe(0)
    expect(psql('site', 'SELECT text FROM cards')).toBe('kept')
  })

  test('O2 the commands for a database of your own bring back its rows', async () => {
    const text = readFileSync(join(root, 'docs/rollback-and-backup.md'), 'utf8')
    const block = /^## A database of your own$[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? ''
    const [dump = '', restore = ''] = block.trim().split('\n')
    const url = (await server?.createDatabase(`own${Date.now()}`)) ?? ''
    const shell = (command: string) => {
      const env = { ...environment, DATABASE_URL: url }
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, env, encoding: 'utf8' })
      expect(status, stderr).toBe(0)
      return stdout.trim()
    }
    const psqlOwn = (sql: string) => shell(`psql "$DATABASE_URL" -At -c "${sql}"`)
    psqlOwn(`CREATE TABLE cards (text text); INSERT INTO cards VALUES ('kept')`)
    shell(dump)
    psqlOwn('DELETE FROM cards')
    shell(restore)
    expect(psqlOwn('SELECT text FROM cards')).toBe('kept')
  })
})
