// Ten thousand seeded bodies that no browser sends, against the service as a process: every body is refused with a
// 4xx, quickly, without reaching the handler and without leaving memory or files behind (A3, A7, E6).

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { createRandom } from '@portico/shared/kit/testing/random.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hostile } from './testing/hostile-bodies.ts'
import { writeBuild } from './testing/write-build.ts'

const BODIES = 10_000
const SEED = 20_261_122
const LANES = 4
/** The reference memory is measured after this many requests, when code is compiled and pools are filled. */
const WARM_BODIES = 5000
const MOST_GROWTH_BYTES = 48 * 1024 * 1024
/**
 * The default limit for a body. A client that sends more and reads only then may find its connection reset in place of the
 * response (RFC 9112 section 9.6); the gateway, the only client of this port, reads while it sends.
 */
const LIMIT_BYTES = 1_048_576

// The input must be { text: string }: the schema refuses other well-formed input.
const BUNDLE = `
  import { appendFileSync } from 'node:fs'
  const validate = (value) => typeof value?.text === 'string' ? { value } : { issues: [{ message: 'no text', path: ['text'] }] }
  const run = Object.assign(() => appendFileSync(process.env.DATA_DIR + '/runs', 'x'), {
    [Symbol.for('portico.action-options')]: { input: { '~standard': { version: 1, vendor: 'test', validate } } },
  })
  export const bundle = {
    actions: { a: { name: 'a', load: async () => run } },
    apiRoutes: {},
    runWithContext: (_context, run) => run(),
  }`

let dir: string
let child: ChildProcess
let port: number

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-fuzz-'))
  await writeBuild(dir, BUNDLE)
  const innerPort = await freePort()
  port = await freePort()
  const settings = { HOST: '127.0.0.1', PORT: String(port), INNER_PORT: String(innerPort), APP_DIR: dir }
  child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { ...bareEnvironment(), ...settings, DATA_DIR: join(dir, 'data'), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout?.on('data', (text: Buffer) => errors.push(text.toString()))
  const isReady = () =>
    fetch(`http://127.0.0.1:${innerPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) await new Promise((done) => setTimeout(done, 50))
})
afterAll(async () => {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  await rm(dir, { recursive: true })
})
const errors: string[] = []

it(`A3 A7 E6 refuses ${BODIES} hostile bodies with a 4xx each (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const cases = Array.from({ length: BODIES }, () => hostile(random))
  const times: number[] = []
  const kinds = new Map<string, Map<number, number>>()
  let before = 0
  let next = 0
  const lane = async () => {
    for (let at = next++; at < cases.length; at = next++) {
      const { kind, bytes, isCut } = cases[at]!
      const startedAt = performance.now()
      const status = await sendBytes(bytes, isCut)
      if (!isCut) {
        times.push(performance.now() - startedAt)
        const isMissed = status === 0 && bytes.length > LIMIT_BYTES
        if (!isMissed)
          expect(status, `${at}: ${kind} ${bytes.toString('latin1').slice(0, 600)}`).toBeGreaterThanOrEqual(400)
        expect(status, `${at}: ${kind} ${bytes.toString('latin1').slice(0, 600)}`).toBeLessThan(500)
      }
      const counts = kinds.get(kind) ?? new Map<number, number>()
      kinds.set(kind, counts.set(status, (counts.get(status) ?? 0) + 1))
      if (at === WARM_BODIES) before = await residentBytes()
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))

  times.sort((left, right) => left - right)
  const p99 = times[Math.floor(times.length * 0.99)]!
  const growth = (await residentBytes()) - before
  console.log(
    [...kinds].map(([kind, counts]) => `${kind}: ${JSON.stringify(Object.fromEntries(counts))}`).join('\n'),
    `\np99 ${p99.toFixed(1)} ms, median ${times[times.length >> 1]!.toFixed(1)} ms, memory ${growth >> 20} MiB more`,
  )
  expect(child.exitCode).toBeNull()
  expect([...kinds.values()].some((counts) => counts.has(413))).toBe(true)
  expect(existsSync(join(dir, 'data', 'runs'))).toBe(false)
  expect(errors).toEqual([])
  expect(growth).toBeLessThan(MOST_GROWTH_BYTES)
  await expect.poll(() => readdir(join(dir, 'data', 'uploads')), { timeout: 5000 }).toEqual([])
})

/** The status of the first response; 0 when there was none. */
function sendBytes(bytes: Buffer, isCut = false): Promise<number> {
  return new Promise((resolve) => {
    let response = ''
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes, () => {
        if (isCut) setTimeout(() => socket.destroy(), 5)
      })
    })
    socket.setTimeout(10_000, () => socket.destroy())
    socket.on('data', (data) => {
      response += data.toString('latin1')
      // The response has arrived; the test need not send the rest of the body.
      if (response.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('error', () => {
      // A reset ends the response; the bytes before the reset count.
    })
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1] ?? 0)))
  })
}

/** Linux only; elsewhere memory counts as flat. */
async function residentBytes(): Promise<number> {
  if (process.platform !== 'linux') return 0
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}
