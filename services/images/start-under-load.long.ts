// The service starts while clients already send requests, with an empty cache and a Redis that starts at the same time
// (I7, O4, O6), as after the restart of a machine.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { hasRedis, type RedisServer, startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readImagesConfig } from './config.ts'
import { openImages } from './open.ts'
import { imageSettings } from './testing/image-settings.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { decodedWidth, halves, soft } from './testing/source-images.ts'
import { writeBuild } from './testing/write-build.ts'

const ROUNDS = 3
const PER_SECOND = 40
/** Images that must arrive in a round after its restart. */
const WANTED = 40
const WIDTHS = imageSettings().imageSizes
const MAIN = join(import.meta.dirname, 'main.ts')

let dir: string
let origin: Origin
let port: number
let innerPort: number
const running: ChildProcess[] = []

beforeAll(async () => {
  dir = await writeBuild()
  const [small, large] = [await halves(500, 250), await soft(1600, 1000)]
  origin = await startOrigin(new Proxy({}, { get: (_, path) => (String(path).startsWith('/large') ? large : small) }))
  ;[port, innerPort] = [await freePort(), await freePort()]
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await origin.close()
  await rm(dir, { recursive: true })
})

function launch(environment: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...bareEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(port),
      INNER_PORT: String(innerPort),
      APP_DIR: dir,
      CACHE_DIR: join(dir, 'cache'),
      SITE_URL: origin.url.href,
      LOG_LEVEL: 'error',
      IMAGE_SLOTS: '2',
      ...environment,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  running.push(child)
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

interface Load {
  /** Images that have arrived since the test last set this counter to 0. */
  made: number
  faults: string[]
  stop: () => Promise<void>
}

/** Requests hot and cold images in turn at a steady rate, without waiting; a refused connection is not a response. */
function startLoad(): Load {
  let stopped = false
  const load: Load = {
    made: 0,
    faults: [],
    async stop() {
      stopped = true
      await done
    },
  }
  const request = async (at: number) => {
    const width = WIDTHS[at % WIDTHS.length]!
    const source = at % 2 === 0 ? `/hot-${at % 6}.jpg` : at % 10 === 1 ? `/large-${at}.jpg` : `/cold-${at}.jpg`
    const url = `http://127.0.0.1:${port}/_portico/image?url=${encodeURIComponent(source)}&w=${width}`
    const response = await fetch(url, { headers: { accept: 'image/webp' } }).catch(() => undefined)
    const body = response && (await response.arrayBuffer().catch(() => undefined))
    if (!response || !body) return
    if (response.status === 503 && response.headers.has('retry-after')) return
    if (response.status !== 200) return void load.faults.push(`${source}: ${response.status}`)
    const decoded = await decodedWidth(Buffer.from(body))
    // A full queue serves the nearest variant that it has, which no cache keeps.
    if (decoded !== width && response.headers.get('cache-control')?.includes('no-store')) return
    if (decoded !== width) load.faults.push(`${source}: ${decoded} in place of ${width}`)
    else load.made++
  }
  const run = async () => {
    const all: Promise<void>[] = []
    for (let at = 0; !stopped; at++) {
      all.push(request(at))
      await sleep(1000 / PER_SECOND)
    }
    await Promise.all(all)
  }
  const done = run()
  return load
}

/** Waits for the images of one round. The process must be the one that was started. */
async function expectImages(load: Load, child: ChildProcess): Promise<void> {
  load.made = 0
  await expect.poll(() => load.made, { timeout: 30_000 }).toBeGreaterThanOrEqual(WANTED)
  expect([child.exitCode, child.signalCode, load.faults]).toEqual([null, null, []])
}

describe('the service, started while clients send requests', () => {
  test('I7 O4 with an empty cache: it does not end, and every image that caches may keep has its width', async () => {
    const load = startLoad()
    for (let round = 0; round < ROUNDS; round++) {
      const child = launch({ CACHE_DIR: join(dir, `cache-${round}`) })
      await expectImages(load, child)
      await kill(child)
    }
    await load.stop()
    expect(load.faults).toEqual([])
  })

  test.skipIf(!hasRedis())(
    'I7 O4 O6 together with its Redis: it does not end, and every image that caches may keep has its width',
    async () => {
      const redisPort = await freePort()
      const load = startLoad()
      let redis: RedisServer | undefined
      for (let round = 0; round < ROUNDS; round++) {
        const child = launch({ CACHE_REDIS_URL: `redis://127.0.0.1:${redisPort}` })
        redis = await startRedis(redisPort)
        await expectImages(load, child)
        await Promise.all([kill(child), redis.stop()])
      }
      await load.stop()
      expect(load.faults).toEqual([])
    },
  )

  test('I7 I11 O4 without any encoder: not ready, cached images are served, others are 503 with Retry-After', async () => {
    const config = readImagesConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      INNER_PORT: '0',
      APP_DIR: dir,
      CACHE_DIR: join(dir, 'kept'),
      SITE_URL: origin.url.href,
      DRAIN_DELAY_MS: '0',
    })
    const start = async (settings: typeof config, log: Log) =>
      startService({ log, ...(await openImages(settings, log)) })
    const image = (service: Service, source: string) =>
      fetch(`http://127.0.0.1:${service.ports.public}/_portico/image?url=${source}&w=64`)
    const well = await start(config, pino({ level: 'silent' }))
    expect((await image(well, '/a.jpg')).status).toBe(200)
    await well.stop()

    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    // Node exits immediately if a preloaded module does not exist.
    const childEnvironment = { ...config.childEnvironment, NODE_OPTIONS: '--import=/nowhere/at-all.mjs' }
    const service = await start({ ...config, childEnvironment }, log)
    const ready = await fetch(`http://127.0.0.1:${service.ports.inner}/readyz`)
    expect([ready.status, await ready.json()]).toMatchObject([503, { ready: false, waiting: ['encoders'] }])
    expect((await image(service, '/a.jpg')).headers.get('x-portico-cache')).toBe('HIT')
    const cold = await Promise.all(['/b.jpg', '/c.jpg', '/d.jpg'].map((source) => image(service, source)))
    for (const { status, headers } of cold) expect([status, headers.has('retry-after')]).toEqual([503, true])
    expect(lines.map(({ event }) => event)).toEqual(expect.arrayContaining(['encoder-failed', 'encoders-away']))
    await service.stop()
  })
})
