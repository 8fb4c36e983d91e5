// The service as a process over a hand-written build: it starts, reports ready, runs an action and an API handler,
// remembers submissions over a restart, and drains (O4, O5, A5).

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type FromStack, fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { hasRedis, startRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { INVALIDATION_CHANNEL } from '@portico/shared/wire/invalidation.ts'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { callAction, createKey } from './testing/requests.ts'
import { type FakeRenderer, startFakeRenderer, TOKEN } from './testing/start-actions.ts'
import { writeBuild } from './testing/write-build.ts'

const BUNDLE = `
  import { appendFileSync, readFileSync } from 'node:fs'
  import { AsyncLocalStorage } from 'node:async_hooks'
  const contexts = new AsyncLocalStorage()
  const atLoad = { ...globalThis[Symbol.for('portico.env')] }
  const read = () => readFileSync('text.md', 'utf8')
  const note = (name = 'runs') => appendFileSync(process.env.DATA_DIR + '/' + name, 'x')
  export const bundle = {
    actions: {
      add: { name: 'add', load: async () => async () => { note(); return contexts.getStore().name } },
      read: { name: 'read', load: async () => async () => read() },
      touch: { name: 'touch', load: async () => () => { contexts.getStore().revalidations.tags.add('t') } },
      slow: { name: 'slow', load: async () => () => { note('begun'); return new Promise((done) => setTimeout(done, 700, 'finished')) } },
    },
    apiRoutes: {
      '/api/x': async () => ({ default: (request, response) => response.json({ query: request.query }) }),
      '/api/env': async () => ({ default: (_request, response) => response.json([contexts.getStore().publicEnv, atLoad]) }),
      '/api/content': async () => ({ default: (_request, response) => response.json([read(), process.env.DATA_DIR]) }),
      '/api/stray': async () => ({ default: (_request, response) => {
        void Promise.reject(new Error('unheard'))
        response.json(process.pid)
        response.json('twice')
      } }),
    },
    runWithContext: (context, run) => contexts.run(context, run),
  }`

let renderer: FakeRenderer
let dir: string
const children: ChildProcess[] = []

beforeAll(async () => {
  renderer = await startFakeRenderer()
  dir = await mkdtemp(join(tmpdir(), 'portico-actions-'))
  await writeBuild(dir, BUNDLE, {
    apiRoutes: ['x', 'env', 'content', 'stray'].map((name) => ({
      pattern: `/api/${name}`,
      file: `pages/api/${name}.ts`,
    })),
    publicEnv: { SITE_NAME: { type: 'string', default: 'Fieldbook' } },
    env: { PAYMENT_KEY: { type: 'string', optional: true }, API_URL: { type: 'url', optional: true } },
  })
})
afterEach(async () => {
  for (const child of children.splice(0)) await end(child, 'SIGKILL')
})
afterAll(async () => {
  await renderer.close()
  await rm(dir, { recursive: true })
})

/** The DATA_DIR that an earlier build of the service left: a key, and a submission whose action returned 'add'. */
async function writeEarlierDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(dir, 'earlier-'))
  await writeFile(join(dataDir, 'action-key.secret'), 'xD7NTI5J5Jism4HhZIgWkVFvv-CVKQkR666-tk_Al-M', { mode: 0o600 })
  const database = new DatabaseSync(join(dataDir, 'submissions.sqlite'))
  database.exec(await readFile(join(import.meta.dirname, 'testing/kept-submission.sql'), 'utf8'))
  database.close()
  return dataDir
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
  return child.exitCode
}

async function start(environment: Record<string, string> = {}, others?: FromStack['innerUrls']) {
  const service = await launch(environment, others)
  await expect.poll(() => statusOf(`${service.inner}/readyz`), { timeout: 30_000 }).toBe(200)
  return service
}

/** 0 without a response. */
const statusOf = async (url: string) => (await fetch(url).catch(() => undefined))?.status ?? 0

/** Calls the slow action; resolves when it runs. */
async function beginSlow(url: string, key = createKey()) {
  const begun = () => readFile(join(dir, 'data', 'begun'), 'utf8').catch(() => '')
  const before = (await begun()).length
  const response = callAction(url, 'slow', [], { key })
  response.catch(() => {})
  await expect.poll(async () => (await begun()).length).toBe(before + 1)
  return { response }
}

/** Starts the process and waits for nothing. */
async function launch(environment: Record<string, string>, others: FromStack['innerUrls'] = {}) {
  const [port, innerPort] = [await freePort(), await freePort()]
  const inner = `http://127.0.0.1:${innerPort}`
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...bareEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(port),
      INNER_PORT: String(innerPort),
      APP_DIR: dir,
      DATA_DIR: join(dir, 'data'),
      ...fromStack({ innerUrls: { renderer: [`http://127.0.0.1:${renderer.port}`], actions: [inner], ...others } }),
      STACK_TOKEN: TOKEN,
      DRAIN_DELAY_MS: '200',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines: string[] = []
  child.stdout?.on('data', (data: Buffer) => lines.push(data.toString()))
  return { child, url: `http://127.0.0.1:${port}`, inner, lines }
}

describe('the process', () => {
  it('A5 O9 replays what an earlier build kept in its DATA_DIR, and runs nothing again', async () => {
    const dataDir = await writeEarlierDataDir()
    const { url } = await start({ DATA_DIR: dataDir })
    const key = 'K'.repeat(22)
    const member = { cookie: 'session=member' }
    const kept = await callAction(url, 'add', [1], { key, headers: member })
    expect([kept.status, await kept.json()]).toEqual([200, expect.objectContaining({ kind: 'value', value: 'add' })])
    await expect(readFile(join(dataDir, 'runs'))).rejects.toThrow('ENOENT')
    // Another client with the same key has a submission of its own.
    await callAction(url, 'add', [1], { key, headers: { cookie: 'session=other' } })
    expect(await readFile(join(dataDir, 'runs'), 'utf8')).toBe('x')
  })

  it('O8 passes the public values of the site to actions and handlers, and its secrets to their modules', async () => {
    const { url, lines } = await start({ PAYMENT_KEY: 'sk_live_sesame' })
    const secrets = { PAYMENT_KEY: 'sk_live_sesame', API_URL: null }
    expect(await (await fetch(`${url}/api/env`)).json()).toEqual([{ SITE_NAME: 'Fieldbook' }, secrets])
    expect(lines.join('')).not.toContain('sk_live_sesame')
  })

  it('K2 runs actions and handlers in the app folder, and DATA_DIR keeps the meaning that it had at the start', async () => {
    await writeFile(join(dir, 'text.md'), 'read at run time')
    const { url } = await start({ DATA_DIR: relative(process.cwd(), join(dir, 'data')) })
    expect(await (await callAction(url, 'read', [])).json()).toMatchObject({ value: 'read at run time' })
    expect(await (await fetch(`${url}/api/content`)).json()).toEqual(['read at run time', join(dir, 'data')])
  })

  it('A1 runs an action, sends the token to the renderer, and serves metrics', async () => {
    const { url, inner } = await start()
    const response = await callAction(url, 'add', [])
    expect(await response.json()).toMatchObject({ kind: 'value', value: 'add', page: { kind: 'page' } })
    expect(await (await fetch(`${url}/api/x?a=1`)).json()).toEqual({ query: { a: '1' } })
    const metrics = await (await fetch(`${inner}/metrics`)).text()
    expect(metrics).toMatch(/portico_actions_requests_total\{kind="action",status="200",service="actions"\} 1/)
  })

  it('E4 continues after stray errors of a handler, with a log line for each', async () => {
    const { url, child, lines } = await start()
    const pid = async () => (await fetch(`${url}/api/stray`)).json()
    expect(await pid()).toBe(child.pid)
    for (const text of ['unheard', 'ERR_STREAM_WRITE_AFTER_END'])
      await expect.poll(() => lines.join('')).toContain(text)
    expect(await pid()).toBe(child.pid)
  })

  it('A5 remembers a submission over a restart', async () => {
    const key = createKey()
    const first = await start()
    await callAction(first.url, 'add', [1], { key })
    const runs = (await readFile(join(dir, 'data', 'runs'), 'utf8')).length
    expect(await end(first.child, 'SIGTERM')).toBe(0)
    const second = await start()
    expect(await (await callAction(second.url, 'add', [1], { key })).json()).toMatchObject({ value: 'add' })
    expect((await readFile(join(dir, 'data', 'runs'), 'utf8')).length).toBe(runs)
  })

  it('O5 finishes what runs after SIGTERM and exits with 0', async () => {
    const { child, url } = await start()
    const running = await beginSlow(url)
    const code = end(child, 'SIGTERM')
    expect(await (await running.response).json()).toMatchObject({ value: 'finished' })
    expect(await code).toBe(0)
  })

  it('A9 responds 409 on another replica when the one that ran it was killed', async () => {
    const [one, two] = [await start(), await start()]
    const key = createKey()
    const dying = await beginSlow(one.url, key)
    await end(one.child, 'SIGKILL')
    await expect(dying.response).rejects.toThrow()
    const startedAt = Date.now()
    const response = await callAction(two.url, 'slow', [], { key })
    expect([response.status, await response.json()]).toEqual([409, { kind: 'unknown' }])
    expect(Date.now() - startedAt).toBeGreaterThan(7000)
  })

  it('A1 exits with an error message when there is no build', async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: {
        ...bareEnvironment(),
        APP_DIR: join(dir, 'nowhere'),
        DATA_DIR: join(dir, 'data'),
        STACK_TOKEN: TOKEN,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    let text = ''
    child.stdout?.on('data', (data: Buffer) => (text += data.toString()))
    const [code] = await once(child, 'close')
    expect([code, text]).toEqual([1, expect.stringContaining('portico build')])
  })
})

describe.skipIf(!hasRedis())('two processes over one Redis', () => {
  it('D6 count one generation, publish the generation and notify renderers and gateways', async () => {
    const redis = await startStackRedis('redis-state')
    const subscriber = new Redis(redis.url.href)
    const messages: unknown[] = []
    await subscriber.subscribe(INVALIDATION_CHANNEL)
    subscriber.on('message', (_channel, text) => messages.push(JSON.parse(text)))
    const gateway = await startFakeRenderer()
    const others = { gateway: [`http://127.0.0.1:${gateway.port}`] }
    const environment = { STATE_REDIS_URL: redis.urlOf('actions').href, ACTION_KEYS: 'k'.repeat(32) }
    const [one, two] = [await start(environment, others), await start(environment, others)]
    renderer.invalidations.length = 0
    for (const { url } of [one, two]) await callAction(url, 'touch', [])
    await expect.poll(() => messages).toHaveLength(2)
    await expect.poll(() => renderer.invalidations).toEqual(messages)
    await expect.poll(() => gateway.invalidations).toEqual(messages)
    const [first, second] = renderer.invalidations
    expect(first).toMatchObject({ epoch: second?.epoch, paths: [], tags: ['t'], everything: false })
    expect(second?.generation).toBeGreaterThan(first?.generation ?? Number.NaN)
    subscriber.disconnect()
    await Promise.all([gateway.close(), redis.stop()])
  })

  it('O4 A9 waits for its state store at the start: not ready, no public port, no exit, and the reason reported', async () => {
    const redisPort = await freePort()
    const keys = 'k'.repeat(32)
    const { child, url, inner, lines } = await launch({
      STATE_REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      ACTION_KEYS: keys,
    })
    const waiting = async () => (await fetch(`${inner}/readyz`).catch(() => undefined))?.json()
    await expect
      .poll(waiting, { timeout: 30_000 })
      .toMatchObject({ ready: false, waiting: ['warming: the state store does not respond'] })
    expect(await statusOf(`${url}/api/x`)).toBe(0)
    await expect.poll(() => lines.join('')).toContain('"event":"warm-up-failed"')
    const redis = await startRedis(redisPort)
    await expect.poll(() => statusOf(`${inner}/readyz`), { timeout: 15_000 }).toBe(200)
    expect((await callAction(url, 'add', [])).status).toBe(200)
    expect(child.exitCode).toBeNull()
    await redis.stop()
  })

  it('O4 reports no fault when its state store is available', async () => {
    const redis = await startRedis()
    const { lines } = await start({ STATE_REDIS_URL: redis.url.href, ACTION_KEYS: 'k'.repeat(32) })
    expect(lines.join('')).not.toContain('warm-up-failed')
    await redis.stop()
  })

  it('A5 run a submission once, and refuse with 503 before anything runs while Redis is unavailable', async () => {
    const redis = await startRedis()
    const environment = { STATE_REDIS_URL: redis.url.href, ACTION_KEYS: 'k'.repeat(32) }
    const [one, two] = [await start(environment), await start(environment)]
    const key = createKey()
    const before = (await readFile(join(dir, 'data', 'runs'), 'utf8').catch(() => '')).length
    const responses = await Promise.all([one, two, one, two].map(({ url }) => callAction(url, 'add', [], { key })))
    for (const response of responses) expect(await response.json()).toMatchObject({ value: 'add' })
    expect((await readFile(join(dir, 'data', 'runs'), 'utf8')).length).toBe(before + 1)
    redis.pause()
    for (const frozen of await Promise.all([one, two].map(({ url }) => callAction(url, 'add', []))))
      expect([frozen.status, frozen.headers.get('retry-after')]).toEqual([503, '2'])
    await redis.stop()
    expect((await fetch(`${two.url}/api/x`)).status).toBe(200)
    expect((await readFile(join(dir, 'data', 'runs'), 'utf8')).length).toBe(before + 1)
    const again = await startRedis(Number(redis.url.port))
    await expect.poll(() => callAction(one.url, 'add', []).then(({ status }) => status), { timeout: 30_000 }).toBe(200)
    await again.stop()
  })
})
