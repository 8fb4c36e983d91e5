// Three replicas of the images service and a real Redis in a container: work done once, purges, and a cache that is
// stopped, frozen or full.

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Origin, startOrigin } from '@portico/images/testing/origin.ts'
import { halves, noisy } from '@portico/images/testing/source-images.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { RedisContainer, type StartedRedisContainer } from '@testcontainers/redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { percentile, steadily } from '../../bench/gateway/pace.ts'
import { type ImagesProcess, startImagesProcess, writeImagesApp } from '../../bench/images/images-processes.ts'
import { root } from '../../checks/sources.ts'
import { program } from '../harness/framework.ts'
import { type RawResponse, send } from '../harness/http.ts'
import { makeFolder, run, type TemporaryFolder } from '../harness/processes.ts'

const TOKEN = randomBytes(24).toString('hex')
const REPLICAS = 3
const ENCODES = ['portico_images_phase_seconds_count', 'phase="encode"'] as const
const ACCEPT = { accept: 'image/webp' }

let redis: StartedRedisContainer
let origin: Origin
let folder: TemporaryFolder
let replicas: ImagesProcess[] = []

const docker = async (...args: string[]) => {
  const { code, output } = await run('docker', args, { cwd: root })
  if (code !== 0) throw new Error(output)
}
const startReplica = () =>
  startImagesProcess({
    appDir: folder.path,
    siteUrl: origin.url.href,
    environment: {
      CACHE_REDIS_URL: redis.getConnectionUrl(),
      STACK_TOKEN: TOKEN,
      IMAGE_SLOTS: '1',
    },
  })
const replica = (at: number) => replicas[at % replicas.length]!
const sum = async (of: readonly ImagesProcess[], name: string, label?: string) => {
  const values = await Promise.all(of.map(({ metric }) => metric(name, label)))
  return values.reduce((total, value) => total + value, 0)
}
const requestImage = (at: number, source: string, width = 64, accept = ACCEPT) =>
  send(replica(at).url, imageUrl('', source, width, 75), { headers: accept })
/** As the gateway does (G2): a GET that failed before its first byte is sent once more, to another replica. */
const requestTwice = (at: number, source: string, width: number, accept: typeof ACCEPT) => {
  const [first, second] = [replica(at), replica(at + 1)]
  const target = imageUrl('', source, width, 75)
  return send(first.url, target, { headers: accept }).catch(() => send(second.url, target, { headers: accept }))
}
/** Replicas and Redis keep variants: each run of a test has its own source. */
const ownSource = (name: string) => `/${name}-${randomBytes(4).toString('hex')}.jpg`
const isImage = ({ status, headers }: RawResponse) => status === 200 && headers['content-type'] === 'image/webp'

beforeAll(async () => {
  redis = await new RedisContainer('redis:8-alpine')
    .withCommand(['redis-server', '--save', '', '--appendonly', 'no'])
    // The same port after a restart.
    .withExposedPorts({ container: 6379, host: await freePort() })
    .start()
  folder = await makeFolder('images-replicas')
  await writeImagesApp(folder.path)
  origin = await startOrigin()
  replicas = await Promise.all(Array.from({ length: REPLICAS }, startReplica))
})
afterAll(async () => {
  await Promise.all(replicas.map(({ kill }) => kill()))
  await origin?.close()
  await folder?.remove()
  await redis?.stop()
})

describe('three replicas with a Redis', () => {
  test('I6 300 simultaneous requests for one cold variant cause one fetch and one encode and get equal bytes', async () => {
    const body = await halves(1600, 1000)
    const crowd = ownSource('crowd')
    origin.responses[crowd] = { headers: { 'cache-control': 'max-age=600' }, body }
    const crowdAt = (width: number) =>
      Promise.all(Array.from({ length: 300 }, (_, at) => requestImage(at, crowd, width)))
    // Processes that have just started compile their code meanwhile: on a busy machine Redis is then late, and each replica
    // does the work by itself (O6).
    await crowdAt(640)
    const [before, fetches] = [await sum(replicas, ...ENCODES), origin.count(crowd)]
    const started = performance.now()
    const responses = await crowdAt(1080)
    console.log(`300 simultaneous requests: all responses after ${Math.round(performance.now() - started)} ms`)
    expect(responses.filter(isImage)).toHaveLength(300)
    const first = responses[0]!.body
    expect(responses.filter((response) => response.body.equals(first))).toHaveLength(300)
    expect(origin.count(crowd) - fetches).toBe(1)
    expect((await sum(replicas, ...ENCODES)) - before).toBe(1)
  })

  test('I6 a leader that is killed in mid-encode costs one more encode and no response', async () => {
    // Small enough for an encode that ends within the time that the others wait, on a busy machine too.
    const body = await noisy(1280, 720)
    const shared = ownSource('leader')
    origin.responses[shared] = { headers: { 'cache-control': 'max-age=600' }, body }
    const avif = { accept: 'image/avif' }
    const pending = Promise.all(Array.from({ length: 60 }, (_, at) => requestTwice(at, shared, 3840, avif)))
    let leader = -1
    await expect
      .poll(
        async () => {
          const running = await Promise.all(replicas.map(({ metric }) => metric('portico_images_queue_running')))
          leader = running.indexOf(1)
          return leader
        },
        { interval: 5, timeout: 30_000 },
      )
      .not.toBe(-1)
    const dead = replica(leader)
    await dead.kill()
    const others = replicas.filter((one) => one !== dead)
    const before = await sum(others, ...ENCODES)
    const responses = await pending
    const encodes = (await sum(others, ...ENCODES)) - before
    replicas[leader] = await startReplica()
    expect(responses.map(({ status }) => status)).toEqual(Array(60).fill(200))
    expect(new Set(responses.map(({ headers }) => headers.etag)).size).toBe(1)
    // One was begun by the leader; one more may have been made.
    expect(encodes).toBe(1)
    expect(origin.count(shared)).toBeLessThanOrEqual(2)
  })

  test('I9 under 50 requests a second no old byte is sent 100 ms after a purge', async () => {
    const headers = { 'cache-control': 'max-age=600' }
    const [old, fresh] = [await halves(400, 200), await halves(400, 300)]
    const purged = ownSource('purged')
    origin.responses[purged] = { headers, body: old }
    const first = await requestImage(0, purged)
    for (let at = 0; at < REPLICAS; at++) expect((await requestImage(at, purged)).headers.etag).toBe(first.headers.etag)
    let purgedAt = Number.POSITIVE_INFINITY
    let latestOld = 0
    let fails = 0
    const load = steadily({ perSecond: 50, count: 150 }, async (at) => {
      const { status, headers: given } = await requestImage(at, purged)
      const now = performance.now()
      if (status !== 200) fails++
      if (given.etag === first.headers.etag && now > purgedAt) latestOld = Math.max(latestOld, now - purgedAt)
    })
    await pause(1000)
    origin.responses[purged] = { headers, body: fresh }
    const cli = await run(process.execPath, [program('services/gateway/purge-cli'), '--source', purged], {
      cwd: root,
      env: {
        ...process.env,
        IMAGES_URL: 'http://127.0.0.1',
        INNER_PORT: new URL(replica(0).innerUrl).port,
        STACK_TOKEN: TOKEN,
      },
    })
    purgedAt = performance.now()
    expect(cli).toMatchObject({ code: 0, output: expect.stringContaining('generation') })
    await load
    console.log(`purge: the last old response came ${Math.round(latestOld)} ms after it`)
    expect(fails).toBe(0)
    expect(latestOld).toBeLessThan(100)
    for (let at = 0; at < REPLICAS; at++)
      expect((await requestImage(at, purged)).headers.etag).not.toBe(first.headers.etag)
  })
})

describe('a Redis that misbehaves', () => {
  let image: Buffer
  let fresh = 0
  /** 50 requests a second: four for variants in memory, then one for a new variant. */
  const visit = async (seconds: number) => {
    const times = { hit: [] as number[], cold: [] as number[] }
    const bad: string[] = []
    await steadily({ perSecond: 50, count: 50 * seconds }, async (at) => {
      const cold = at % 5 === 4
      const source = cold ? `/cold.jpg?n=${fresh++}` : `/warm-${at % 3}.jpg`
      if (cold) origin.responses[source] = image
      const started = performance.now()
      const response = await requestImage(at, source).catch((error: Error) => error.message)
      if (typeof response === 'string' || !isImage(response))
        bad.push(typeof response === 'string' ? response : `${response.status}`)
      times[cold ? 'cold' : 'hit'].push(performance.now() - started)
    })
    return { times, bad }
  }
  const report = (name: string, { times }: Awaited<ReturnType<typeof visit>>) =>
    console.log(`${name.padEnd(16)} hits ${describeTimes(times.hit)}   cold ${describeTimes(times.cold)}`)

  beforeAll(async () => {
    image = await halves(200, 100)
    for (let at = 0; at < 3; at++) {
      origin.responses[`/warm-${at}.jpg`] = { headers: { 'cache-control': 'max-age=6000' }, body: image }
      for (let each = 0; each < REPLICAS; each++) await requestImage(each, `/warm-${at}.jpg`)
    }
    report('Redis well', await visit(1))
  })

  test('O6 no request fails while Redis is frozen for 5 s, nor when it continues', async () => {
    await docker('pause', redis.getId())
    const frozen = await visit(5).finally(() => docker('unpause', redis.getId()))
    report('frozen', frozen)
    const back = await visit(2)
    report('thawed', back)
    expect([...frozen.bad, ...back.bad]).toEqual([])
  })

  test('O6 no request fails while Redis is full', async ({ onTestFinished }) => {
    onTestFinished(async () => void (await redis.executeCliCmd('config', ['set', 'maxmemory', '0'])))
    // 1 MB is less than an empty Redis uses: with this policy it refuses every write.
    for (const policy of ['noeviction', 'allkeys-lru']) {
      await redis.executeCliCmd('config', ['set', 'maxmemory-policy', policy, 'maxmemory', '1mb'])
      const full = await visit(1)
      report(`1mb ${policy}`, full)
      expect(full.bad).toEqual([])
    }
  })

  test('O6 no request fails while Redis is stopped, and it is used again afterwards', async () => {
    await docker('stop', '-t', '1', redis.getId())
    const stopped = await visit(2).finally(() => docker('start', redis.getId()))
    report('stopped', stopped)
    const back = await visit(2)
    report('started', back)
    expect([...stopped.bad, ...back.bad]).toEqual([])
    await expect.poll(() => sum(replicas, 'portico_images_store_available'), { timeout: 10_000 }).toBe(REPLICAS)
    const source = `/cold.jpg?n=${fresh++}`
    origin.responses[source] = image
    await requestImage(0, source)
    await expect.poll(async () => (await requestImage(1, source)).headers['x-portico-cache']).toBe('HIT')
    expect(origin.count(source)).toBe(1)
  })
})

/** Milliseconds as text. */
function describeTimes(values: number[]): string {
  const [half, most] = [0.5, 0.99].map((share) => percentile(values, share).toFixed(1).padStart(5))
  return `p50 ${half} ms, p99 ${most} ms`
}
