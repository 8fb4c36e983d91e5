// docker/compose.postgres.yml with the sample site: two replicas of actions over one PostgreSQL; a replica and the
// database are killed under steady forms; a backup is made, everything is destroyed, the backup is restored.
// postgres-processes.long.ts does the first part without containers. `postgres:17-bookworm` must be in reach, or
// POSTGRES_IMAGE must name another image.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { countKeys } from '../behaviours/containers/compose-redis.ts'
import { describePostcards } from '../behaviours/http/postcards.ts'
import { type ComposeStack, startCompose } from '../harness/compose-stack.ts'
import { send } from '../harness/http.ts'
import { makeFolder, run, type TemporaryFolder } from '../harness/processes.ts'
import { ATLAS } from '../sites/sites.ts'
import { compare, requestImages, startWriters } from './many-writers.ts'

/** No error later than this after a kill. */
const RECOVERY_MS = 5000

let stack: ComposeStack
let folder: TemporaryFolder

beforeAll(async () => {
  folder = await makeFolder('postgres')
  const { POSTGRES_IMAGE } = process.env
  stack = await startCompose({
    files: ['docker-compose.yml', 'docker/compose.postgres.yml'],
    settings: POSTGRES_IMAGE ? { POSTGRES_IMAGE } : {},
  })
})
afterAll(async () => {
  await stack?.down()
  await folder?.remove()
})

const psql = async (sql: string) => {
  const command = ['psql', '--username', 'site', '--no-align', '--tuples-only', '--command', sql]
  return (await stack.compose('exec', '-T', 'postgres', ...command)).split('\n').filter(Boolean)
}
const messages = async () =>
  (await psql('SELECT message FROM cards ORDER BY id')).filter((text) => text.startsWith('card '))

/** Sends SIGKILL from inside: the engine restarts no container that it has killed itself. */
const killIn = (container: string, commandPattern: string) => {
  const script = `for file in /proc/[0-9]*/cmdline; do
    if grep -q '${commandPattern}' $file 2>/dev/null; then kill -9 "$(basename "$(dirname $file)")"; fi
  done`
  return run('docker', ['exec', container, 'sh', '-c', script], { cwd: root, env: stack.environment })
}

/** Runs the fault amid forms; when it happened, and what was kept. */
async function during(fault: () => Promise<unknown>) {
  await psql('DELETE FROM cards')
  const writers = await startWriters(stack.baseUrl)
  const started = performance.now()
  await sleep(5000)
  await fault()
  const faultMs = performance.now() - started
  await sleep(15_000)
  await writers.stop()
  await expect.poll(() => messages().catch(() => []), { timeout: 60_000 }).not.toEqual([])
  return { faultMs, kept: compare(writers.sent, await messages()) }
}

describe('two replicas of actions over PostgreSQL', () => {
  describePostcards('over PostgreSQL, in containers', () => stack.baseUrl)

  test('A5 G2 a replica that is killed under forms costs no accepted card, and forms work again within 5 s', async () => {
    const replicas = await stack.containers('actions')
    expect(replicas).toHaveLength(2)
    const { faultMs, kept } = await during(() => killIn(replicas[0] ?? '', '[s]ervices/actions/main.js'))
    console.log(`actions killed: ${JSON.stringify(kept)}`)
    expect(kept).toMatchObject({ lost: [], twice: [] })
    expect(kept.accepted).toBeGreaterThan(100)
    expect(kept.rows).toBe(kept.accepted + kept.unreported)
    expect(kept.lastErrorMs).toBeLessThan(faultMs + RECOVERY_MS)
    expect(await requestImages(stack.baseUrl, 6)).toMatchObject({ failed: 0 })
  })

  test('A5 O2 a database that is killed under forms loses no accepted card, and forms work again when it is back', async () => {
    const [container = ''] = await stack.containers('postgres')
    const { kept } = await during(() => killIn(container, '^[p]ostgres'))
    console.log(`PostgreSQL killed: ${JSON.stringify(kept)}`)
    expect(kept).toMatchObject({ lost: [], twice: [] })
    expect(kept.rows).toBe(kept.accepted + kept.unreported)
    expect(kept.accepted).toBeGreaterThan(100)
  })

  test('O2 a backup brings back rows, images and submissions after everything was destroyed', async () => {
    const copy = join(folder.path, 'copy')
    const script = async (name: string) => {
      const { code, output } = await run('sh', [`docker/${name}.sh`, copy], { cwd: root, env: stack.environment })
      expect(code, output.slice(-4000)).toBe(0)
    }
    const [rows, keys] = [await messages(), await countKeys(stack, 'actions')]
    const { images } = await requestImages(stack.baseUrl, 1)
    expect([rows.length > 0, images > 0]).toEqual([true, true])
    await script('backup')
    const late = await startWriters(stack.baseUrl)
    await sleep(2000)
    await late.stop()
    expect((await messages()).length).toBeGreaterThan(rows.length)
    await stack.compose('down', '--volumes')
    await script('restore')
    const status = async () => (await send(stack.baseUrl, ATLAS.home.path).catch(() => undefined))?.status
    await expect.poll(status, { timeout: 60_000 }).toBe(200)
    expect(await messages()).toEqual(rows)
    expect(await countKeys(stack, 'actions')).toBe(keys)
    expect(await requestImages(stack.baseUrl, 2)).toEqual({ images, failed: 0 })
  })
})
