// A gateway of two workers as processes: what invalidations, crashes, replacements and stops do to clients. `npm test`
// shows that workers are one gateway and drain; crashes and replacements are `npm run test:long`.

import { setTimeout as sleep } from 'node:timers/promises'
import { createSqliteGenerations } from '@portico/shared/kit/feed/sqlite-generations.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import { createTurns } from '@portico/shared/kit/testing/load.ts'
import { runs, testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { expect, it } from 'vitest'
import { WHY_PATH } from '../explanation.ts'
import { MANIFEST, rendererOf } from '../pages/testing/cached-gateway.ts'
import { pageEntry } from '../pages/testing/entries.ts'
import { send, startUpstream, TOKEN } from '../testing/gateway-fixture.ts'
import {
  buildFolder,
  ends,
  invalidate,
  type Running,
  readyz,
  startProcess,
  workersOf,
} from './testing/gateway-process.ts'

const WORKERS = 2
const CRASHES = 2
const INVALIDATIONS = runs(20, 100)
const CLIENTS = 8
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` }
const CHANGE = { paths: ['/about'], tags: [] }

async function start(more: Record<string, string> = {}) {
  const [renderer, other] = [await rendererOf(), await startUpstream('of the fixture')]
  ends.push(() => other.stop())
  const state = { value: 0 }
  renderer.entry = () => pageEntry(`value ${state.value}`)
  const { upstream } = renderer
  const environment = { GATEWAY_WORKERS: String(WORKERS), STACK_TOKEN: TOKEN, DRAIN_DELAY_MS: '0', ...more }
  const running = await startProcess(await buildFolder(other, MANIFEST), upstream.port, environment)
  await expect.poll(() => readyz(running), { timeout: 30_000 }).toBe(200)
  const store = createSqliteGenerations({ dataDir: running.dataDir, now: Date.now })
  ends.push(() => store.close())
  const get = () => send(running.port, '/about')
  /** Changes the page, and resolves when the gateway has acknowledged the change. */
  const change = async () => {
    state.value++
    const status = await invalidate(running, AUTHORIZED, messageOf(CHANGE, await store.raise(CHANGE)))
    expect(status).toBe(200)
    return state.value
  }
  return { running, renderer, state, get, change }
}

const valueIn = (text: string) => Number(/value (\d+)</.exec(text)?.[1] ?? Number.NaN)
const hasEnded = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}
const metricsOf = async (running: Running) => (await send(running.innerPort, '/metrics')).text
const sumOf = (metrics: string, name: string, labels = '') =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(name) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)

/** Clients, each with a connection for every request; `lost` are requests without a response. */
function startClients(get: () => Promise<{ status: number; text: string }>, least: () => number) {
  const figures = { sent: 0, lost: 0, stale: 0, statuses: new Set<number>() }
  const stop = createTurns(CLIENTS, async () => {
    const expected = least()
    figures.sent++
    const response = await Promise.race([get(), sleep(5000)]).catch(() => undefined)
    if (!response) figures.lost++
    else {
      figures.statuses.add(response.status)
      if (valueIn(response.text) < expected) figures.stale++
    }
  })
  return async () => {
    await stop()
    return figures
  }
}

it('C5 an acknowledged invalidation is applied by every worker', async () => {
  const { change, get } = await start()
  let acknowledged = 0
  const stop = startClients(get, () => acknowledged)
  for (let round = 0; round < INVALIDATIONS; round++) {
    acknowledged = await change()
    // As many connections as there are workers, several times.
    const values = await Promise.all(Array.from({ length: 4 * WORKERS }, async () => valueIn((await get()).text)))
    expect(values).toEqual(values.map(() => acknowledged))
  }
  const figures = await stop()
  expect(figures.sent).toBeGreaterThan(5 * INVALIDATIONS)
  expect([figures.lost, figures.stale, [...figures.statuses]]).toEqual([0, 0, [200]])
})

testAtLength('C5 an invalidation is acknowledged after a worker that does not apply it was killed', async () => {
  const { change, get, running } = await start()
  const frozen = workersOf(running)[0]!
  process.kill(frozen, 'SIGSTOP')
  const startedAt = performance.now()
  const value = await change()
  expect(hasEnded(frozen)).toBe(true)
  expect(performance.now() - startedAt).toBeLessThan(5000)
  expect(valueIn((await get()).text)).toBe(value)
  // The log is written some time after the line.
  await expect.poll(running.output).toContain('worker did not apply an invalidation')
  await expect.poll(() => workersOf(running).length, { timeout: 10_000 }).toBe(WORKERS)
})

testAtLength(
  'O1 C5 a worker that ends under load costs its own requests only, and its successor sends nothing old',
  async () => {
    const { change, get, running } = await start()
    let acknowledged = await change()
    const stop = startClients(get, () => acknowledged)
    for (let round = 0; round < CRASHES; round++) {
      const killed = workersOf(running)[0]!
      process.kill(killed, 'SIGKILL')
      // While the worker is away, and while its successor starts.
      for (let time = 0; time < 20; time++) {
        acknowledged = await change()
        await sleep(50)
      }
      const isReplaced = () => workersOf(running).length === WORKERS && !workersOf(running).includes(killed)
      await expect.poll(isReplaced, { timeout: 10_000 }).toBe(true)
      // Workers are numbered as they start; the lines of one that is killed may be lost.
      await expect
        .poll(running.output, { timeout: 20_000 })
        .toContain(`"worker":${WORKERS + 1 + round},"event":"ready"`)
    }
    const figures = await stop()
    console.log(`${CRASHES} crashes: ${figures.sent} requests, ${figures.lost} lost`)
    expect(figures.lost).toBeLessThanOrEqual(CRASHES * CLIENTS)
    expect([figures.stale, [...figures.statuses]]).toEqual([0, [200]])
    expect(await readyz(running)).toBe(200)
  },
)

testAtLength('O5 SIGHUP replaces every worker under load without a failed request', async () => {
  const { change, get, running } = await start()
  let acknowledged = await change()
  const stop = startClients(get, () => acknowledged)
  // Connections that are kept.
  const stopKept = startClients(
    async () => {
      const response = await fetch(`http://127.0.0.1:${running.port}/about`)
      return { status: response.status, text: await response.text() }
    },
    () => acknowledged,
  )
  const before = workersOf(running)
  running.child.kill('SIGHUP')
  while (!running.output().includes('"event":"workers-replaced"')) {
    acknowledged = await change()
    await sleep(20)
  }
  const after = workersOf(running)
  expect(after).toHaveLength(WORKERS)
  expect(after.filter((pid) => before.includes(pid))).toEqual([])
  // By the primary, once for all workers.
  expect(running.output().match(/"event":"publish[a-z-]*"/g)).toEqual(['"event":"published"'])
  for (const figures of [await stop(), await stopKept()]) {
    console.log(`a replacement: ${figures.sent} requests, ${figures.lost} lost`)
    expect(figures.sent).toBeGreaterThan(100)
    expect([figures.lost, figures.stale, [...figures.statuses]]).toEqual([0, 0, [200]])
  }
})

testAtLength('O4 O7 metrics and status are those of one gateway, and counts never fall', async () => {
  const { get, running, renderer } = await start()
  const count = 40
  const statuses = await Promise.all(Array.from({ length: count }, () => get()))
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]))
  const requests = async () => sumOf(await metricsOf(running), 'portico_gateway_request_seconds_count')
  expect(await requests()).toBe(count)
  const metrics = await metricsOf(running)
  expect(sumOf(metrics, 'portico_page_cache_total', 'part="html"')).toBe(count)
  expect(sumOf(metrics, 'portico_build_info')).toBe(1)
  expect(sumOf(metrics, 'portico_feed_confirmed')).toBe(1)
  expect(sumOf(metrics, 'portico_gateway_replicas', 'upstream="renderer"')).toBe(1)
  const startedAt = sumOf(metrics, 'process_start_time_seconds')
  expect(Math.abs(Date.now() / 1000 - startedAt)).toBeLessThan(60)
  // Every process has a memory; each worker keeps the page.
  expect(sumOf(metrics, 'portico_page_cache_entries')).toBe(WORKERS)
  const { status } = JSON.parse((await send(running.innerPort, '/status')).text)
  const gateway = status.services.find(({ name }: { name: string }) => name === 'gateway')
  expect(gateway).toMatchObject({ replicas: { known: 1, ready: 1 }, requests: { count }, failed: 0 })
  // What was scraped of a worker that crashes, and all of one that is replaced.
  process.kill(workersOf(running)[0]!, 'SIGKILL')
  await expect.poll(running.output, { timeout: 20_000 }).toContain(`"worker":${WORKERS + 1},"event":"ready"`)
  expect(await requests()).toBe(count)
  await Promise.all(Array.from({ length: count }, () => get()))
  running.child.kill('SIGHUP')
  await expect.poll(() => running.output(), { timeout: 30_000 }).toContain('"event":"workers-replaced"')
  expect(await requests()).toBe(2 * count)
  const later = await metricsOf(running)
  expect(sumOf(later, 'process_start_time_seconds')).toBe(startedAt)
  // A worker that is replaced has not crashed.
  expect(sumOf(later, 'portico_gateway_worker_exits_total')).toBe(1)
  // One probe in 250 ms at most, whatever the number of workers.
  let probes = 0
  renderer.upstream.server.on('request', ({ url }) => (probes += url === '/readyz' ? 1 : 0))
  await sleep(3000)
  // The substitute is the replica of three services with one port.
  expect(probes).toBeGreaterThan(3)
  expect(probes).toBeLessThanOrEqual(3 * 4 + 2)
})

it('O5 SIGTERM drains every worker, and no process is left', async () => {
  const { running, renderer } = await start({ DRAIN_DELAY_MS: '500' })
  renderer.upstream.respond = (_request, response) => void setTimeout(() => response.end('done'), 1000)
  const responses = Array.from({ length: 20 }, () => send(running.port, '/me'))
  await expect.poll(() => renderer.upstream.requests.filter(({ url }) => url === '/me').length).toBe(20)
  const workers = workersOf(running)
  running.child.kill('SIGTERM')
  await expect.poll(() => readyz(running)).toBe(503)
  expect((await Promise.all(responses)).map(({ text }) => text)).toEqual(Array(20).fill('done'))
  expect(await running.exit).toBe(0)
  expect(workers.map(hasEnded)).toEqual([true, true])
  const ids = new Set([...running.output().matchAll(/"worker":(\d+),[^\n]*"event":"request"/g)].map(([, id]) => id))
  expect(ids.size).toBe(WORKERS)
})

testAtLength('O5 workers end with a primary that was killed', async () => {
  const { running } = await start()
  const workers = workersOf(running)
  running.child.kill('SIGKILL')
  await expect.poll(() => workers.map(hasEnded)).toEqual([true, true])
})

testAtLength('O5 a frozen worker ends with its gateway', async () => {
  const { running } = await start({ DRAIN_DEADLINE_MS: '2000' })
  const frozen = workersOf(running)[0]!
  ends.push(() => hasEnded(frozen) || process.kill(frozen, 'SIGKILL'))
  process.kill(frozen, 'SIGSTOP')
  running.child.kill('SIGTERM')
  await expect.poll(running.output).toContain('"event":"draining"')
  running.child.kill('SIGHUP')
  await expect.poll(() => running.child.exitCode, { timeout: 10_000 }).toBe(1)
  await expect.poll(() => hasEnded(frozen)).toBe(true)
  expect(running.output()).not.toContain('workers-replacing')
})

it('O5 SIGHUP does not end a gateway of one process', async () => {
  const { running, change, get } = await start({ GATEWAY_WORKERS: '1' })
  running.child.kill('SIGHUP')
  await expect.poll(running.output).toContain('"event":"no-workers"')
  const value = await change()
  expect(valueIn((await get()).text)).toBe(value)
})

it('G8 O9 clients have one limit, whichever worker they reach, and any worker explains a request', async () => {
  const { running, renderer } = await start({ RATE_LIMIT_POSTS: '6' })
  renderer.upstream.respond = (_request, response) => response.end('done')
  const post = () => send(running.port, '/me', { method: 'POST', body: 'x' })
  const statuses: number[] = []
  for (let time = 0; time < 12; time++) statuses.push((await post()).status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(6)
  // The primary, which has the inner port, leaves the explanation to a worker.
  const question = { method: 'GET', url: '/me', headers: { host: 'a' }, client: '127.0.0.1', run: false }
  const explain = (body: object, headers = AUTHORIZED) =>
    send(running.innerPort, WHY_PATH, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(JSON.parse((await explain(question)).text)).toMatchObject({ page: { pattern: '/me' } })
  expect((await explain({ ...question, url: 'me' })).status).toBe(400)
  expect((await explain(question, { authorization: 'Bearer other' })).status).toBe(401)
})

testAtLength('O1 a worker that refuses to start ends the gateway before it is ready', async () => {
  const { running, renderer } = await start()
  const other = await startProcess(await buildFolder(renderer.upstream, MANIFEST), renderer.upstream.port, {
    GATEWAY_WORKERS: '2',
    PORT: String(running.port),
  })
  expect(await other.exit).toBe(1)
  expect(other.output()).toContain('the port is in use')
})
