// The service as a process: main.ts with an environment, a build and signals.

import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Origin, startOrigin } from './testing/origin.ts'
import { halves } from './testing/source-images.ts'
import { writeBuild } from './testing/write-build.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const TOKEN = 'a-token-of-at-least-32-characters'

interface Running {
  child: ChildProcess
  public: string
  inner: string
  lines: string[]
  ended: Promise<number | NodeJS.Signals | null>
}

describe('the service as a process', () => {
  let dir: string
  let origin: Origin
  beforeAll(async () => {
    dir = await writeBuild()
    origin = await startOrigin({ '/a.jpg': await halves(100, 50) })
  })
  /** Ended after each test: the runner waits for a process that has its stderr. */
  const children = new Set<ChildProcess>()
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    children.clear()
  })
  afterAll(async () => {
    await origin.close()
    await rm(dir, { recursive: true })
  })

  const start = async (environment: Record<string, string> = {}): Promise<Running> => {
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...bareEnvironment(),
        // Without chrt and nice: encoders of the lowest priority would wait for whatever else this machine runs.
        PATH: dir,
        HOST: '127.0.0.1',
        PORT: '0',
        INNER_PORT: '0',
        APP_DIR: dir,
        CACHE_DIR: join(dir, 'cache'),
        SITE_URL: origin.url.href,
        DRAIN_DELAY_MS: '100',
        IMAGE_SLOTS: '1',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.add(child)
    const ended = new Promise<number | NodeJS.Signals | null>((done) =>
      child.once('close', (code, signal) => done(code ?? signal)),
    )
    const lines: string[] = []
    const ports = await new Promise<{ public: number; inner: number }>((done, failed) => {
      createInterface({ input: child.stdout! }).on('line', (line) => {
        lines.push(line)
        const entry = JSON.parse(line) as { event?: string; ports?: { public: number; inner: number } }
        if (entry.event === 'ready' && entry.ports) done(entry.ports)
      })
      void ended.then((end) => failed(new Error(`ended with ${end}: ${lines.join('\n')}`)))
    })
    const inner = `http://127.0.0.1:${ports.inner}`
    // On a busy machine the port opens before the encoders have responded.
    const readiness = async () => (await fetch(`${inner}/readyz`)).json()
    await expect.poll(readiness, { timeout: 45_000 }).toMatchObject({ ready: true, waiting: [] })
    return { child, ended, lines, public: `http://127.0.0.1:${ports.public}`, inner }
  }
  const encodersOf = async (running: Running) => {
    const text = await readFile(`/proc/${running.child.pid}/task/${running.child.pid}/children`, 'utf8')
    return text.trim().split(' ').map(Number)
  }
  const isAlive = (pid: number) => {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      // No such process.
      return false
    }
  }
  const image = '/_portico/image?url=/a.jpg&w=64'

  test('O4 O5 I9 is ready when its encoders have responded, serves, purges with the token, and ends with its children', async () => {
    const running = await start({ STACK_TOKEN: TOKEN })
    expect((await fetch(running.public + image)).headers.get('x-portico-cache')).toBe('MISS')
    expect((await fetch(running.public + image)).headers.get('x-portico-cache')).toBe('HIT')
    const verdict = async () => (await fetch(running.public + image)).headers.get('x-portico-cache')
    const purge = (headers: Record<string, string>, body = '{"source":"/a.jpg"}') =>
      fetch(`${running.inner}/internal/purge`, { method: 'POST', headers, body })
    expect((await purge({})).status).toBe(401)
    expect((await purge({ authorization: `Bearer ${TOKEN}`, origin: 'http://x' })).status).toBe(403)
    expect((await fetch(running.public + image)).headers.get('x-portico-cache')).toBe('HIT')
    expect((await purge({ authorization: `Bearer ${TOKEN}` })).status).toBe(200)
    expect((await fetch(running.public + image)).headers.get('x-portico-cache')).toBe('MISS')
    await expect.poll(verdict).toBe('HIT')
    const everything = await purge({ authorization: `Bearer ${TOKEN}` }, '{"everything":true}')
    expect(await everything.json()).toEqual({ generation: expect.any(Number), replicas: 1 })
    expect(await verdict()).toBe('MISS')
    const metrics = await (await fetch(`${running.inner}/metrics`)).text()
    expect(metrics).toContain('portico_images_answers_total{outcome="MISS",service="images"} 3')
    expect(metrics).toContain('portico_images_encoders_live{service="images"} 1')
    const encoders = await encodersOf(running)
    expect(encoders.length).toBe(1)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    await expect.poll(() => encoders.some(isAlive)).toBe(false)
    expect(running.lines.join('\n')).not.toContain('/a.jpg')
  })

  test('I5 uses its disk cache after a restart, and its children end with the service even after SIGKILL', async () => {
    const cacheDir = join(dir, 'kept')
    const running = await start({ CACHE_DIR: cacheDir })
    const started = running.lines.map((line) => JSON.parse(line) as { level: string; event?: string })
    expect(started).toContainEqual(expect.objectContaining({ level: 'info', event: 'purge-off' }))
    await fetch(running.public + image)
    // The response is sent before the file has its name.
    const files = async () =>
      (await readdir(cacheDir, { recursive: true })).filter((path) => /^images\/..\/[\w-]+$/.test(path))
    await expect.poll(files).toHaveLength(1)
    const encoders = await encodersOf(running)
    running.child.kill('SIGKILL')
    await running.ended
    await expect.poll(() => encoders.some(isAlive)).toBe(false)
    const again = await start({ CACHE_DIR: cacheDir })
    expect((await fetch(again.public + image)).headers.get('x-portico-cache')).toBe('HIT')
    again.child.kill('SIGTERM')
    expect(await again.ended).toBe(0)
  })

  test('O6 starts without the cache when the cache Redis is unavailable', async () => {
    const running = await start({ CACHE_REDIS_URL: 'redis://127.0.0.1:1' })
    expect((await fetch(running.public + image)).status).toBe(200)
    expect((await fetch(running.public + image)).headers.get('x-portico-cache')).toBe('HIT')
    expect(await (await fetch(`${running.inner}/metrics`)).text()).toContain(
      'portico_images_store_available{service="images"} 0',
    )
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
  })
})
