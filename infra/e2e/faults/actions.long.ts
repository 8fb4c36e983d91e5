// Two replicas of the actions service over one Redis in a container: with faults at every step, a submission runs once,
// and every arrival of a submission gets the same response (A5, A9). And two renderers that receive invalidations (D6).

import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { RedisContainer, type StartedRedisContainer } from '@testcontainers/redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RawResponse, send } from '../harness/http.ts'
import { copyApp, ended, makeFolder, type TemporaryFolder } from '../harness/processes.ts'
import { createReplicas, loadActionIds, type Replica, type Replicas } from '../harness/replicas.ts'
import { buildSite } from '../sites/build-sites.ts'
import { FIXTURE } from '../sites/sites.ts'

const SECRETS = { STACK_TOKEN: 't'.repeat(40), ACTION_KEYS: 'k'.repeat(40) }

let folder: TemporaryFolder | undefined
let redis: StartedRedisContainer | undefined
let replicas: Replicas
let renderer: Replica
/** No service sends invalidations to this one over HTTP. */
let deafRenderer: Replica
let one: Replica
let two: Replica
let environment: Record<string, string>

beforeAll(async () => {
  folder = await makeFolder('replicas')
  const appDir = join(folder.path, 'site')
  const [container] = await Promise.all([
    new RedisContainer('redis:8-alpine')
      .withCommand(['redis-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'])
      .start(),
    buildSite(FIXTURE).then(() => copyApp(FIXTURE.appDir, appDir)),
  ])
  redis = container
  replicas = createReplicas({
    ...SECRETS,
    APP_DIR: appDir,
    // Both write their side effects to one place, as into a site's database.
    DATA_DIR: join(folder.path, 'data'),
    STATE_REDIS_URL: container.getConnectionUrl(),
  })
  // Pages of this test request data from the first replica, which starts after them.
  renderer = await replicas.start('renderer', { ACTIONS_URL: 'http://127.0.0.1:1', SITE_URL: 'http://127.0.0.1:1' })
  deafRenderer = await replicas.start('renderer', { ACTIONS_URL: 'http://127.0.0.1:1', SITE_URL: 'http://127.0.0.1:1' })
  // A revalidation waits for processes that do not confirm: the first renderer confirms in the place of all.
  const innerUrls = [renderer.innerUrl]
  environment = {
    RENDERER_URL: renderer.url,
    ...fromStack({ innerUrls: { renderer: innerUrls, gateway: innerUrls, actions: innerUrls } }),
  }
  one = await replicas.start('actions', environment)
  two = await replicas.start('actions', environment)
}, 300_000)

afterAll(async () => {
  await replicas?.stop()
  await redis?.stop()
  await folder?.remove()
})

const createKey = () => randomBytes(16).toString('hex')
const VISITOR = 'portico-visitor=visitor-of-two-replicas-0123456789'

interface Call {
  action: string
  key: string
  args?: unknown[]
}

function headersOf({ action, key }: Call): Record<string, string> {
  return {
    'content-type': 'application/json',
    'sec-fetch-site': 'same-origin',
    'portico-action': ids.get(action) ?? action,
    'idempotency-key': key,
    cookie: VISITOR,
  }
}

function call({ url }: Replica, given: Call): Promise<RawResponse> {
  const body = JSON.stringify({ args: given.args ?? [{}] })
  const headers = { ...headersOf(given), 'content-length': String(body.length) }
  return send(url, '/counter', { method: 'POST', headers, body })
}

/** Sends the form and ends the connection: after `holdMs`, or with the first byte of the response. */
function callAndLeave({ url }: Replica, given: Call, holdMs?: number): Promise<void> {
  const body = JSON.stringify({ args: given.args ?? [{}] })
  const headers = { host: 'site.test', ...headersOf(given), 'content-length': String(body.length) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(`POST /counter HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
      if (holdMs !== undefined) setTimeout(() => socket.destroy(), holdMs)
    })
    socket.once('data', () => socket.destroy())
    socket.once('error', reject)
    socket.once('close', () => resolve())
  })
}

/** Sends it and resolves when its submission is on record, which is before its action starts. */
async function begin(replica: Replica, given: Call): Promise<{ response: Promise<RawResponse | Error> }> {
  const list = "redis-cli --scan --pattern 'portico:submission:*' | wc -l"
  const recorded = async () => Number((await redis!.exec(['sh', '-c', list])).output.trim())
  const before = await recorded()
  const response = call(replica, given).catch((error: Error) => error)
  await expect.poll(recorded, { timeout: 20_000 }).toBe(before + 1)
  return { response }
}

async function countNow(): Promise<number> {
  const { text } = await send(one.url, '/api/notes')
  return (JSON.parse(text) as { counters: { count: number } }).counters.count
}

let ids: Map<string, string>
beforeAll(async () => {
  ids = await loadActionIds(join(folder!.path, 'site'))
  expect([...ids.keys()]).toEqual(expect.arrayContaining(['count', 'countSafely', 'publishNews']))
})

describe('two replicas of the actions service', () => {
  test('A5 run two parallel posts of one key once, with equal responses', async () => {
    for (let round = 0; round < 6; round++) {
      const before = await countNow()
      const given = { action: 'count', key: createKey(), args: [{ waitMs: round % 2 === 0 ? '0' : '50' }] }
      const responses = await Promise.all([one, two, one, two].map((replica) => call(replica, given)))
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
      expect(JSON.parse(responses[0]!.text)).toMatchObject({ kind: 'value', value: { count: before + 1 } })
      expect(await countNow()).toBe(before + 1)
    }
  })

  test('A5 run a form without JavaScript once that arrives at both', async () => {
    const before = await countNow()
    const id = ids.get('count') ?? ''
    const body = new URLSearchParams([
      [`$ACTION_ID_${id}`, ''],
      ['$portico_key', createKey()],
      ['waitMs', '100'],
    ]).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
      'sec-fetch-site': 'same-origin',
      cookie: VISITOR,
    }
    const responses = await Promise.all(
      [one, two].map(({ url }) => send(url, '/counter', { method: 'POST', headers, body })),
    )
    expect(responses.map(({ status }) => status)).toEqual([303, 303])
    expect(await countNow()).toBe(before + 1)
  })

  test('A5 give the response of the first run when the connection is cut, while it runs and after it', async () => {
    for (const holdMs of [100, undefined]) {
      const before = await countNow()
      const given = { action: 'count', key: createKey(), args: [{ waitMs: '400' }] }
      await callAndLeave(one, given, holdMs)
      const responses = [await call(two, given), await call(one, given)]
      for (const response of responses)
        expect(JSON.parse(response.text)).toMatchObject({ kind: 'value', value: { count: before + 1 } })
      expect(responses[0]!.text).toBe(responses[1]!.text)
      expect(await countNow()).toBe(before + 1)
    }
  })

  test('A5 A9 keep the response of a replica that was killed after it', async () => {
    const doomed = await replicas.start('actions', environment)
    const before = await countNow()
    const given = { action: 'count', key: createKey() }
    const first = await call(doomed, given)
    doomed.child.kill('SIGKILL')
    await ended(doomed.child)
    expect((await call(two, given)).text).toBe(first.text)
    expect(await countNow()).toBe(before + 1)
  })

  test('A9 say that the end is unknown when a replica was killed while it ran, and run nothing again', async () => {
    const doomed = await replicas.start('actions', environment)
    const before = await countNow()
    const given = { action: 'count', key: createKey(), args: [{ waitMs: '4000' }] }
    const lost = await begin(doomed, given)
    doomed.child.kill('SIGKILL')
    expect(await lost.response).toBeInstanceOf(Error)
    const responses = await Promise.all([call(one, given), call(two, given)])
    for (const { status, text } of responses) expect([status, JSON.parse(text)]).toEqual([409, { kind: 'unknown' }])
    expect(await countNow()).toBe(before)
  })

  test('A9 run an action again that is safe to repeat, once, when its replica was killed', async () => {
    const doomed = await replicas.start('actions', environment)
    const before = await countNow()
    const given = { action: 'countSafely', key: createKey(), args: [{ waitMs: '3000' }] }
    const lost = await begin(doomed, given)
    doomed.child.kill('SIGKILL')
    expect(await lost.response).toBeInstanceOf(Error)
    const responses = await Promise.all([call(one, given), call(two, given)])
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(JSON.parse(responses[0]!.text)).toMatchObject({ kind: 'value', value: { count: before + 1 } })
    expect(await countNow()).toBe(before + 1)
  })
})

describe('two renderers', () => {
  test.each(['/news', '/editor'])(
    'D6 C8 show %s as it is after each of 50 revalidations, also at the replica that receives them through Redis alone',
    async (path) => {
      const issueOf = async ({ url }: Replica) => {
        const { text } = await send(url, path, { headers: { host: 'site.test' } })
        return /id="issue">([^<]+)</.exec(text)?.[1]
      }
      let before = await Promise.all([issueOf(renderer), issueOf(deafRenderer)])
      expect(before).toEqual([expect.any(String), expect.any(String)])
      expect(await Promise.all([issueOf(renderer), issueOf(deafRenderer)])).toEqual(before)
      for (let round = 0; round < 50; round++) {
        expect((await call(one, { action: 'publishNews', key: createKey(), args: [] })).status).toBe(200)
        expect(await issueOf(renderer)).not.toBe(before[0])
        await expect.poll(() => issueOf(deafRenderer), { interval: 10 }).not.toBe(before[1])
        before = await Promise.all([issueOf(renderer), issueOf(deafRenderer)])
      }
    },
  )
})
