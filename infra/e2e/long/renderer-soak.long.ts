// The renderer under ten minutes of clients: 200 requests a second over 10 000 addresses, one in five of which leaves
// early. Memory must be flat at the end and nothing may stay open. SOAK_SECONDS shortens it for a look.

import { spawn } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, waitFor } from '../../bench/processes.ts'
import { root } from '../../checks/sources.ts'
import { program } from '../harness/framework.ts'

const SECONDS = Number(process.env.SOAK_SECONDS ?? 600)
const PER_SECOND = 200
const ADDRESSES = 10_000
/** Memory counts as flat when the last quarter's mean is at most this share above the second's. */
const GROWTH_LIMIT = 1.1

let folder: string
let renderer: ReturnType<typeof startService>
let port: number
let innerPort: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderer-soak-'))
  const app = join(folder, 'site')
  await cp(join(root, 'infra/bench/site'), app, { recursive: true })
  await new Promise<void>((done, fail) => {
    const build = spawn(process.execPath, [program('web/build/cli')], { env: { ...process.env, APP_DIR: app } })
    build.on('exit', (code) => (code === 0 ? done() : fail(new Error(`the build ended with ${code}`))))
  })
  port = await freePort()
  innerPort = await freePort()
  renderer = startService('renderer', {
    HOST: '127.0.0.1',
    PORT: String(port),
    INNER_PORT: String(innerPort),
    APP_DIR: app,
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
  })
  await waitFor(`http://127.0.0.1:${innerPort}/readyz`)
})

afterAll(async () => {
  renderer?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

test(`D5 O5 memory is flat and nothing stays open after ${SECONDS} s at ${PER_SECOND} requests/s with 20 % leaving`, async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const before = await readMetrics()
  const samples: number[] = []
  const counts = { responded: 0, left: 0, failed: 0 }
  for (let second = 0; second < SECONDS; second++) {
    const started = performance.now()
    for (let index = 0; index < PER_SECOND; index++) visit(second * PER_SECOND + index, agent, counts)
    samples.push((await readMetrics()).residentBytes)
    await new Promise((done) => setTimeout(done, Math.max(0, 1000 - (performance.now() - started))))
  }
  agent.destroy()
  await new Promise((done) => setTimeout(done, 3000))
  const after = await readMetrics()
  const quarter = Math.floor(samples.length / 4)
  const second = mean(samples.slice(quarter, quarter * 2))
  const last = mean(samples.slice(-quarter))
  console.log(
    `responded ${counts.responded}, left ${counts.left}; resident memory ${megabytes(before.residentBytes)} at start, ${megabytes(second)} second quarter, ${megabytes(last)} last quarter; open resources ${before.open} before, ${after.open} after`,
  )
  expect(counts.failed).toBe(0)
  expect(counts.left).toBeGreaterThan(SECONDS * PER_SECOND * 0.15)
  expect(last / second).toBeLessThan(GROWTH_LIMIT)
  expect(after.open).toBeLessThanOrEqual(before.open)
})

function visit(number: number, agent: Agent, counts: { responded: number; left: number; failed: number }): void {
  const kind = number % 2 === 0 ? 'cards' : 'kept'
  const leaves = number % 5 === 0
  let hasLeft = false
  const request = get(
    { host: '127.0.0.1', port, agent, path: `/${kind}/${(number * 7919) % ADDRESSES}` },
    (response) => {
      response.resume()
      response.on('end', () => {
        if (response.statusCode === 200) counts.responded++
        else counts.failed++
      })
    },
  )
  request.on('error', () => {
    if (hasLeft) counts.left++
    else counts.failed++
  })
  if (leaves)
    setTimeout(() => {
      hasLeft = true
      request.destroy(new Error('left'))
      if (request.closed) counts.left++
    }, 2)
}

async function readMetrics(): Promise<{ residentBytes: number; open: number }> {
  const text = await (await fetch(`http://127.0.0.1:${innerPort}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^${name}(?:{[^}]*})? ([\\d.e+]+)`, 'm').exec(text)?.[1])
  return {
    residentBytes: value('process_resident_memory_bytes'),
    open: value('nodejs_active_resources_total'),
  }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`
}
