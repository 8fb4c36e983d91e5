// docker/update.sh on a site with middleware, behind HTTPS: the new build guards what the old one does not, and on the way back
// the reverse (O12).

import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { type HttpsStack, startHttps } from '../behaviours/containers/caddy.ts'
import { faultOf, VISITED, visitAll } from '../faults/deploys/guarded-traffic.ts'
import { type RawResponse, send } from '../harness/http.ts'
import { makeFolder, run, type TemporaryFolder } from '../harness/processes.ts'
import { writeSite } from '../sites/make-site.ts'
import { guardedSite } from '../sites/written/guarded.ts'

const REQUESTS = 2000
const VISITORS = 4

let folder: TemporaryFolder
let stack: HttpsStack
beforeAll(async () => {
  folder = await makeFolder('guarded-update')
  await writeSite(folder.path, guardedSite({ build: 'one', isGuarding: false }))
  stack = await startHttps({ appDir: folder.path })
})
afterAll(async () => {
  await stack?.down()
  const previous = 'docker image ls --format "{{.Repository}}:{{.Tag}}" "$COMPOSE_PROJECT_NAME-*"'
  if (stack) await run('sh', ['-c', `docker image rm $(${previous})`], { cwd: root, env: stack.environment })
  await folder?.remove()
})

const buildId = async () => String((await send(stack.secureUrl, '/')).headers['portico-build'])

/** Runs the script under requests of every kind; resolves with what was received, or the message of what failed. */
async function update(...args: string[]): Promise<{ seen: [path: string, received: RawResponse][]; failed: string[] }> {
  const seen: [string, RawResponse][] = []
  const failed: string[] = []
  let isOver = false
  const visitor = async () => {
    while (!isOver || seen.length < REQUESTS)
      await visitAll(stack.secureUrl, (path, received) => seen.push([path, received])).catch((error: unknown) =>
        failed.push(String(error)),
      )
  }
  const visitors = Promise.all(Array.from({ length: VISITORS }, visitor))
  const { code, output } = await run('sh', ['docker/update.sh', ...args], { cwd: root, env: stack.environment })
  isOver = true
  await visitors
  expect(code, output.slice(-4000)).toBe(0)
  return { seen, failed }
}

test(`O12 docker/update.sh and back: 0 of ${REQUESTS} requests fail, and each response is one that its build may give`, async () => {
  const one = { name: 'one', id: await buildId(), isGuarding: false }
  await writeSite(folder.path, guardedSite({ build: 'two', isGuarding: true }))
  const there = await update()
  const two = { name: 'two', id: await buildId(), isGuarding: true }
  expect(two.id).not.toBe(one.id)
  const back = await update('back')
  expect(await buildId()).toBe(one.id)
  for (const { seen, failed } of [there, back]) {
    expect(failed).toEqual([])
    expect(seen.length).toBeGreaterThanOrEqual(REQUESTS - VISITED)
    expect(seen.map(([path, received]) => faultOf(path, received, [one, two])).filter(Boolean)).toEqual([])
  }
  console.log(`requests during the update: ${there.seen.length}, during the way back: ${back.seen.length}`)
})
