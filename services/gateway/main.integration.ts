// The gateway as a process: it starts before its upstreams, and a stop under load loses no request.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { BAD_SETTINGS_CODE } from '@portico/shared/kit/config/config.ts'
import { createRedisGenerations } from '@portico/shared/kit/feed/redis-generations.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import { hasRedis, startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { INVALIDATION_PATH } from '@portico/shared/wire/invalidation.ts'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { MANIFEST, rendererOf, TOKEN } from './cache/testing/cached-gateway.ts'
import { pageEntry } from './cache/testing/entries.ts'
import {
  all,
  type GatewayOptions,
  send,
  startGateway,
  startUpstream,
  type Upstream,
} from './testing/gateway-fixture.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

interface Running {
  child: ChildProcess
  port: number
  innerPort: number
  exit: Promise<number | null>
  output: () => string
}

async function startProcess(appDir: string, upstreamPort: number, more: Record<string, string> = {}): Promise<Running> {
  const [port, sitePort, innerPort] = [await freePort(), await freePort(), await freePort()]
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-data-'))
  const upstream = `http://127.0.0.1:${upstreamPort}`
  const child = spawn(process.execPath, [fileURLToPath(new URL('main.ts', import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      SITE_PORT: String(sitePort),
      INNER_PORT: String(innerPort),
      ...Object.fromEntries(
        ['RENDERER', 'IMAGES', 'ACTIONS'].flatMap((name) => [
          [`${name}_URL`, upstream],
          [`${name}_INNER_URL`, upstream],
        ]),
      ),
      APP_DIR: appDir,
      DATA_DIR: dataDir,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  ends.push(
    () => rmSync(dataDir, { recursive: true, force: true }),
    () => {
      child.kill('SIGKILL')
      return exit
    },
  )
  return { child, port, innerPort, exit, output: () => output }
}

/** A folder with a build, made by the fixture of the unit tests. */
async function buildFolder(upstream: Upstream, manifest: GatewayOptions['manifest'] = {}): Promise<string> {
  const gateway = await startGateway({ upstreams: all(upstream), manifest, files: { 'public/a.txt': 'a' } })
  ends.push(() => gateway.stop())
  return join(gateway.build.dir, '..')
}

const readyz = (running: Running) =>
  send(running.innerPort, '/readyz').then(
    ({ status }) => status,
    () => 0,
  )

const invalidate = async (running: Running, headers: Record<string, string>, message = messageOf({})) => {
  const body = JSON.stringify(message)
  return (await send(running.innerPort, INVALIDATION_PATH, { method: 'POST', headers, body })).status
}

describe('the process', () => {
  it('O4 starts before its upstreams, reports them, and is ready when they are ready', async () => {
    const first = await startUpstream('first')
    const appDir = await buildFolder(first)
    ends.push(() => first.stop())
    const port = await freePort()
    const running = await startProcess(appDir, port)
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(503)
    // The public port opens once the warm-up, which does not wait for upstreams, is done.
    const readFile = () => send(running.port, '/a.txt').then(({ text }) => text, String)
    await expect.poll(readFile, { timeout: 30_000 }).toBe('a')
    expect(await readyz(running)).toBe(503)
    expect((await send(running.port, '/about')).status).toBe(502)
    const upstream = await startUpstream('late', { port })
    ends.push(() => upstream.stop())
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(200)
    expect((await send(running.port, '/about')).text).toBe('from late')
  })

  it('O5 drains on SIGTERM: running requests finish, the exit code is 0, every line is written', async () => {
    const upstream = await startUpstream('slow', {
      respond: (_request, response) => void setTimeout(() => response.end('done'), 400),
    })
    ends.push(() => upstream.stop())
    const running = await startProcess(await buildFolder(upstream), upstream.port, { DRAIN_DELAY_MS: '1500' })
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(200)
    const responses = Array.from({ length: 20 }, () => send(running.port, '/x'))
    await expect.poll(() => upstream.requests.length).toBe(20)
    running.child.kill('SIGTERM')
    await expect.poll(() => readyz(running)).toBe(503)
    // Still serving: load balancers have not reacted yet.
    responses.push(send(running.port, '/y'))
    expect((await Promise.all(responses)).map(({ text }) => text)).toEqual(Array(21).fill('done'))
    expect(await running.exit).toBe(0)
    expect(running.output().match(/"event":"request"/g)).toHaveLength(21)
    expect(running.output()).toContain('"event":"stopped"')
  })

  it('C5 without a page cache confirms changes on its inner port, with the token of the stack', async () => {
    const upstream = await startUpstream('all')
    ends.push(() => upstream.stop())
    const running = await startProcess(await buildFolder(upstream), upstream.port, { STACK_TOKEN: TOKEN })
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(200)
    expect(await invalidate(running, {})).toBe(401)
    expect(await invalidate(running, { authorization: `Bearer ${TOKEN}` })).toBe(200)
  })

  it('W5 names every fault of its environment and does not start', async () => {
    const running = await startProcess('/nowhere', 9, { PUBLIC_ORIGINS: 'example.org', TRUSTED_PROXIES: '10.0.0.0/99' })
    expect(await running.exit).toBe(BAD_SETTINGS_CODE)
    expect(running.output()).toMatch(/PUBLIC_ORIGINS=.*must be[\s\S]*TRUSTED_PROXIES=.*must be/)
  })
})

describe.skipIf(!hasRedis())('the page cache of a process', () => {
  const start = async () => {
    const renderer = await rendererOf()
    const state = { value: 0 }
    renderer.entry = () => pageEntry(`value ${state.value}`)
    const { upstream } = renderer
    const server = await startRedis()
    const redis = new Redis(server.url.href, { protocol: 2 })
    ends.push(
      () => server.stop(),
      () => redis.disconnect(),
    )
    const environment = { STACK_TOKEN: TOKEN, STATE_REDIS_URL: server.url.href }
    const running = await startProcess(await buildFolder(upstream, MANIFEST), upstream.port, environment)
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(200)
    const store = createRedisGenerations(redis)
    const get = () => send(running.port, '/about')
    const isHit = () => expect.poll(async () => (await get()).headers['x-portico-cache']).toBe('HIT')
    return { running, state, store, get, isHit }
  }

  it('C5 sends nothing that was revalidated while the process was paused', async () => {
    const { running, state, store, get, isHit } = await start()
    for (let round = 0; round < 3; round++) {
      await isHit()
      running.child.kill('SIGSTOP')
      // The process receives these requests when it resumes.
      const waiting = [get(), get(), get()]
      state.value++
      await store.raise({ paths: ['/about'], tags: [] })
      // A publisher waits as long for a process that does not respond.
      await sleep(510)
      running.child.kill('SIGCONT')
      for (const { text } of await Promise.all(waiting)) expect(text).toContain(`value ${state.value}<`)
    }
  })

  it('C5 takes changes on its inner port, with the token of the stack', async () => {
    const { running, state, store, get, isHit } = await start()
    await isHit()
    state.value++
    const change = { paths: ['/about'], tags: [] }
    const message = messageOf(change, await store.raise(change))
    expect(await invalidate(running, {}, message)).toBe(401)
    expect(await invalidate(running, { authorization: `Bearer ${TOKEN}` }, message)).toBe(200)
    expect((await get()).text).toContain('value 1<')
  })
})
