// The deeds of an operator, by the commands of the documentation: update and roll back under
// requests, behind HTTPS; back up and restore.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { type HttpsStack, startHttps } from '../behaviours/containers/caddy.ts'
import { countKeys } from '../behaviours/containers/compose-redis.ts'
import { postForm, type RawResponse, send } from '../harness/http.ts'
import { copyApp, makeFolder, run, type TemporaryFolder } from '../harness/processes.ts'
import { FIXTURE } from '../sites/sites.ts'

let stack: HttpsStack
let folder: TemporaryFolder
let appDir: string

beforeAll(async () => {
  folder = await makeFolder('operating')
  appDir = join(folder.path, 'site')
  await copyApp(FIXTURE.appDir, appDir)
  stack = await startHttps({ appDir })
})
afterAll(async () => {
  await stack?.down()
  const previous = 'docker image ls --format "{{.Repository}}:{{.Tag}}" "$COMPOSE_PROJECT_NAME-*"'
  if (stack) await run('sh', ['-c', `docker image rm $(${previous})`], { cwd: root, env: stack.environment })
  await folder?.remove()
})

const statusOf = async (path: string) => (await send(stack.secureUrl, path).catch(() => undefined))?.status
const buildId = async () => String((await send(stack.secureUrl, '/')).headers['portico-build'])
const notes = async () => (await send(stack.secureUrl, '/api/notes?subject=form')).text

/** The commands below a heading of the documentation, with a folder of the test for the copies. */
async function runCommands(page: string, heading: string): Promise<void> {
  const text = await readFile(join(root, `docs/${page}.md`), 'utf8')
  const commands = new RegExp(`^## ${heading}$[\\s\\S]*?^\`\`\`sh\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.[1] ?? ''
  expect(commands).not.toBe('')
  await runShell(`set -e\n${commands.replaceAll('../portico-backup', join(folder.path, 'copies'))}`, root)
}

async function runShell(script: string, cwd: string): Promise<void> {
  const { code, output } = await run('sh', ['-c', script], { cwd, env: stack.environment })
  expect(code, output.slice(-4000)).toBe(0)
}

/** Sends requests while the work runs; resolves with the faults. */
async function whileVisited(work: () => Promise<void>): Promise<{ count: number; faults: string[] }> {
  const faults: string[] = []
  const started = performance.now()
  let count = 0
  let isOver = false
  const visit = async (what: string, wanted: number, request: () => Promise<RawResponse>) => {
    while (!isOver) {
      count++
      // The id that the gateway gives each request leads to the log lines.
      const result = await request().then(
        ({ status, headers }) =>
          status === wanted ? '' : `${status} by ${headers['x-request-id'] === undefined ? 'Caddy' : 'the gateway'}`,
        (error: Error) => error.message,
      )
      if (result !== '') faults.push(`${what}: ${result} after ${Math.round(performance.now() - started)} ms`)
    }
  }
  const readers = ['/', '/items/six', '/headers', '/api/notes'].map((path) =>
    visit(path, 200, () => send(stack.secureUrl, path)),
  )
  const writer = visit('form', 303, () =>
    postForm({ baseUrl: stack.secureUrl, path: '/form', fields: { note: `during ${count}` } }),
  )
  try {
    await work()
  } finally {
    isOver = true
    await Promise.all([...readers, writer])
  }
  return { count, faults }
}

describe('operating the containers', () => {
  test('O5 docker/update.sh puts another build in place and goes back, and no request is lost', async () => {
    const before = await buildId()
    const about = join(appDir, 'pages/about.tsx')
    await writeFile(about, (await readFile(about, 'utf8')).replaceAll('>About', '>All about'))
    const update = await whileVisited(() => runShell('sh docker/update.sh', root))
    const after = await buildId()
    const back = await whileVisited(() => runShell('sh docker/update.sh back', root))
    console.log(`requests during the update: ${update.count}, during the way back: ${back.count}`)
    expect([...update.faults, ...back.faults]).toEqual([])
    expect(after).not.toBe(before)
    expect(await buildId()).toBe(before)
    for (const service of ['gateway', 'renderer', 'images', 'actions'])
      expect(await stack.containers(service)).toHaveLength(1)
  })

  test('O5 docker/update.sh removes replicas that do not become ready, says why, and the old ones keep running', async () => {
    const before = await stack.containers('actions')
    const environment = { ...stack.environment, ACTION_KEYS: 'short' }
    const { code, output } = await run('sh', ['docker/update.sh'], { cwd: root, env: environment })
    expect(code, output.slice(-4000)).toBe(1)
    expect(output).toMatch(/ACTION_KEYS=.*must be keys of 32 or more characters[\s\S]*sh docker\/update.sh back\n$/)
    expect(await stack.containers('actions')).toEqual(before)
    expect((await postForm({ baseUrl: stack.secureUrl, path: '/form', fields: { note: 'after it' } })).status).toBe(303)
  })

  test('A9 pages are served while the state Redis is unavailable, and forms are refused', async () => {
    const form = () => postForm({ baseUrl: stack.secureUrl, path: '/form', fields: { note: 'while it is away' } })
    await stack.compose('stop', 'redis-state')
    for (const path of ['/', '/items/six', '/headers', '/api/notes']) expect(await statusOf(path)).toBe(200)
    const refused = await form()
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2'])
    expect(await notes()).not.toContain('while it is away')
    await stack.compose('start', 'redis-state')
    await expect.poll(async () => (await form()).status, { timeout: 60_000 }).toBe(303)
  })

  test('O2 a backup that is restored brings back what was stored, and nothing later', async () => {
    await postForm({ baseUrl: stack.secureUrl, path: '/form', fields: { note: 'kept' } })
    const before = await notes()
    const keys = await countKeys(stack, 'actions')
    await runCommands('rollback-and-backup', 'Backup')
    await postForm({ baseUrl: stack.secureUrl, path: '/form', fields: { note: 'too late' } })
    expect(await notes()).toContain('too late')
    await runCommands('rollback-and-backup', 'Restore')
    await expect.poll(() => statusOf('/'), { timeout: 60_000 }).toBe(200)
    expect(await notes()).toBe(before)
    expect(before).toContain('kept')
    expect(await countKeys(stack, 'actions')).toBe(keys)
  })
})
