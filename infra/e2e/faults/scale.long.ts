// Several processes of a service on one machine: `npm start -- --scale renderer=4 --scale images=2` (K3).

import { join } from 'node:path'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { type EmbeddedStack, startEmbedded } from '../harness/embedded-stack.ts'
import { processOf, program } from '../harness/framework.ts'
import { send, unescapeHtml } from '../harness/http.ts'
import { startLoad } from '../harness/load.ts'
import { childrenOf, copyApp, listenersOf, makeFolder, run, type TemporaryFolder } from '../harness/processes.ts'
import { FIXTURE } from '../sites/sites.ts'

let folder: TemporaryFolder
let stack: EmbeddedStack

beforeAll(async () => {
  folder = await makeFolder('scale')
  const appDir = join(folder.path, 'site')
  await copyApp(FIXTURE.appDir, appDir)
  stack = await startEmbedded({ appDir, args: ['--scale', 'renderer=4', '--scale=images=2'] })
})

afterAll(async () => {
  const code = await stack?.stop()
  await folder?.remove()
  expect(code).toBe(0)
})

const idsOf = (service: string) => childrenOf(stack.stackId(), processOf(service)).sort((a, b) => a - b)

/** The page as one renderer has it. */
async function issueAt(id: number): Promise<string | undefined> {
  const found = listenersOf(id).map(async ({ port }) => (await send(`http://127.0.0.1:${port}`, '/news')).text)
  return /id="issue">([^<]+)</.exec((await Promise.all(found)).join(''))?.[1]
}

/** The purge command, as an operator runs it beside the stack. */
function purge(...args: string[]) {
  const env = { ...bareEnvironment(), DATA_DIR: stack.dataDir }
  return run(process.execPath, [program('services/gateway/purge-cli'), ...args], { cwd: root, env })
}

test('K3 O1 no GET fails while one of four renderers is killed, and the renderer is started again', async () => {
  expect([idsOf('gateway'), idsOf('renderer'), idsOf('images'), idsOf('actions')].map(({ length }) => length)).toEqual([
    1, 4, 2, 1,
  ])
  const page = unescapeHtml((await send(stack.baseUrl, FIXTURE.detail.path)).text)
  const source = /\/_portico\/image\?url=([^&"\s]+)/.exec(page)?.[1]
  const image = imageUrl('', decodeURIComponent(source ?? ''), 640, 75)
  const load = startLoad(stack.baseUrl, [FIXTURE.home.path, '/headers', FIXTURE.detail.path, image])
  await expect.poll(() => load.statuses[200] ?? 0, { timeout: 20_000 }).toBeGreaterThan(20)
  const [killed = 0] = idsOf('renderer')
  process.kill(killed, 'SIGKILL')
  const lines = () => stack.lines.map(({ service, msg }) => `${service}: ${msg}`)
  const restart = expect.stringMatching(/^stack: renderer \d was ended by SIGKILL; starting it again in \d+ ms$/)
  await expect.poll(lines).toContainEqual(restart)
  await expect.poll(() => idsOf('renderer').filter((id) => id !== killed).length, { timeout: 20_000 }).toBe(4)
  await load.stop()
  expect(load.errors).toEqual([])
  expect(Object.keys(load.statuses)).toEqual(['200'])
  await expect.poll(() => stack.lines.map(({ service }) => service)).toContain('renderer 2')
})

test.runIf(process.platform === 'linux')('K3 C5 I9 a purge reaches every process of a service', async () => {
  const issues = () => Promise.all(idsOf('renderer').map(issueAt))
  // The renderer that was killed above may not listen yet.
  await expect.poll(async () => (await issues()).every((issue) => issue !== undefined)).toBe(true)
  const before = await issues()
  expect(await issues()).toEqual(before)
  expect(await purge('--page-tag', 'news')).toMatchObject({ code: 0 })
  const after = await issues()
  for (const [at, issue] of after.entries()) {
    expect(issue).toBeDefined()
    expect(issue).not.toBe(before[at])
  }
  const everything = await purge('--everything')
  expect(everything).toMatchObject({ code: 0 })
  expect(everything.output).toMatch(
    /^pages: purged, generation \d+: 1 gateway, 4 renderers, \d+ actions replicas?\nimages: purged, generation \d+: 2 images replicas\n$/,
  )
  const purged = () => stack.lines.flatMap(({ event, kind, service }) => (event === 'purge' && kind ? [service] : []))
  await expect.poll(() => [...new Set(purged())].sort()).toEqual(['images 1', 'images 2'])
})
