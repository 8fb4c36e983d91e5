// The gateway as a process: it starts before its upstreams, and a stop under load loses no request.

import { setTimeout as sleep } from 'node:timers/promises'
import { BAD_SETTINGS_CODE } from '@portico/shared/kit/config/config.ts'
import { createRedisGenerations } from '@portico/shared/kit/feed/redis-generations.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import { hasRedis, startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { forms } from '@portico/shared/kit/testing/runs.ts'
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { MANIFEST, rendererOf } from './pages/testing/cached-gateway.ts'
import { pageEntry } from './pages/testing/entries.ts'
import { send, startUpstream, TOKEN } from './testing/gateway-fixture.ts'
import { buildFolder, ends, invalidate, readyz, signalAll, startProcess } from './workers/testing/gateway-process.ts'

/** The version of a renderer and of actions of the gateway's build, without which it does not become ready (O12). */
const VERSION = 'build1.env1'

describe.each(forms('1', '2'))('the gateway with GATEWAY_WORKERS=%s', (GATEWAY_WORKERS) => {
  it('O4 starts before its upstreams, reports them, and is ready when they are ready', async () => {
    const first = await startUpstream('first')
    const appDir = await buildFolder(first)
    ends.push(() => first.stop())
    const port = await freePort()
    const running = await startProcess(appDir, port, { GATEWAY_WORKERS })
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(503)
    // The public port opens once the warm-up, which does not wait for upstreams, is done.
    const readFile = () => send(running.port, '/a.txt').then(({ text }) => text, String)
    await expect.poll(readFile, { timeout: 30_000 }).toBe('a')
    expect(await readyz(running)).toBe(503)
    expect((await send(running.port, '/about')).status).toBe(502)
    const upstream = await startUpstream('late', { port, version: VERSION })
    ends.push(() => upstream.stop())
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(200)
    expect((await send(running.port, '/about')).text).toBe('from late')
    // The process has no flags here.
    expect(running.output()).toContain('started without --max-http-header-size=65536')
  })

  it('O5 drains on SIGTERM: running requests finish, the exit code is 0, every line is written', async () => {
    const upstream = await startUpstream('slow', {
      version: VERSION,
      respond: (_request, response) => void setTimeout(() => response.end('done'), 400),
    })
    ends.push(() => upstream.stop())
    const running = await startProcess(await buildFolder(upstream), upstream.port, {
      GATEWAY_WORKERS,
      DRAIN_DELAY_MS: '1500',
    })
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(200)
    const responses = Array.from({ length: 20 }, () => send(running.port, '/x'))
    await expect.poll(() => upstream.requests.filter(({ url }) => url === '/x')).toHaveLength(20)
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
    const upstream = await startUpstream('all', { version: VERSION })
    ends.push(() => upstream.stop())
    const running = await startProcess(await buildFolder(upstream), upstream.port, {
      GATEWAY_WORKERS,
      STACK_TOKEN: TOKEN,
    })
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(200)
    expect(await invalidate(running, {})).toBe(401)
    expect(await invalidate(running, { authorization: `Bearer ${TOKEN}` })).toBe(200)
  })

  it('W5 names every fault of its environment and does not start', async () => {
    const running = await startProcess('/nowhere', 9, {
      GATEWAY_WORKERS,
      PUBLIC_ORIGINS: 'example.org',
      TRUSTED_PROXIES: '10.0.0.0/99',
    })
    expect(await running.exit).toBe(BAD_SETTINGS_CODE)
    expect(running.output()).toMatch(/PUBLIC_ORIGINS=.*must be[\s\S]*TRUSTED_PROXIES=.*must be/)
  })
})

describe.skipIf(!hasRedis()).each(forms('1', '2'))('the page cache with GATEWAY_WORKERS=%s', (GATEWAY_WORKERS) => {
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
    const environment = { GATEWAY_WORKERS, STACK_TOKEN: TOKEN, STATE_REDIS_URL: server.url.href }
    const running = await startProcess(await buildFolder(upstream, MANIFEST), upstream.port, environment)
    await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(200)
    const store = createRedisGenerations(redis)
    const get = () => send(running.port, '/about')
    // Connections are given to the workers in turns.
    const isHit = () =>
      expect
        .poll(async () => [(await get()).headers['x-portico-cache'], (await get()).headers['x-portico-cache']])
        .toEqual(['HIT', 'HIT'])
    return { running, state, store, get, isHit }
  }

  it('C5 sends nothing that was revalidated while the process was paused', async () => {
    const { running, state, store, get, isHit } = await start()
    for (let round = 0; round < 3; round++) {
      await isHit()
      signalAll(running, 'SIGSTOP')
      // The process receives these requests when it resumes.
      const waiting = [get(), get(), get()]
      state.value++
      await store.raise({ paths: ['/about'], tags: [] })
      // A publisher waits as long for a process that does not respond.
      await sleep(510)
      signalAll(running, 'SIGCONT')
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
    for (const { text } of [await get(), await get()]) expect(text).toContain('value 1<')
  })
})
