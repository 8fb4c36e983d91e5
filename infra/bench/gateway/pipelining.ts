// What the limit of pipelined requests costs those that do not pipeline, and what a gateway does when clients send 64 KiB of
// requests at once on each of many connections: memory, and the response times of another client.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { parseArgs } from 'node:util'
import { limitPipelining } from '@portico/shared/kit/life/pipelining.ts'
import { MAX_PIPELINED } from '@portico/shared/wire/constants.ts'
import { median, processorMs, withProcesses } from '../processes.ts'
import { HOOKED } from './gateway-hook.ts'
import { type GatewayProcess, startGatewayProcess, writeEmptyApp } from './gateway-process.ts'
import { startPageRenderer } from './page-renderer.ts'
import { PAGES } from './pages.ts'
import { measureInTurns, type Target, TURN_OPTIONS, turnsOf } from './rates.ts'

const HELP = `node infra/bench/gateway/pipelining.ts [--only cost|uploads|flood] [--rounds 5] [--seconds 3]
                                       [--connections 1000] [--networks 10] [--cgroup FOLDER]

  cost      processor time of a page from memory with and without the limit, in turns: wanted at most 6 us more
  uploads   processor time of a body of 60 MB with and without the limit, in turns: of a gateway that passes the body on to the
            actions service, wanted at most 10 % more; and of node:http alone, which does nothing with the body
  flood     each of --connections from --networks addresses sends 64 KiB of requests at once; another client
            sends 200 requests a second. Wanted: memory after a collection at most 64 KiB a connection + 32 MB above the
            memory before, the peak below 80 % of 384 MB, and the other client's p99 under 50 ms from the second second on

--cgroup starts the gateway of the flood in a control group (memory.ts says how). Exit code 1 if a wanted figure is missed.
Needs wrk.`

const MOST_COST_US = 6
const MOST_UPLOAD = 1.1
/** A gateway passes on 64 MiB. */
const UPLOAD_BYTES = 60_000_000
const UPLOADS_A_ROUND = 3
const PIECE = Buffer.alloc(64 * 1024, 'x')
const CONTAINER_MB = 384
const PROBE_EVERY_MS = 5
const PROBED_MS = 6000
const MOST_P99_MS = 50

const { values: given } = parseArgs({
  options: {
    ...TURN_OPTIONS,
    only: { type: 'string' },
    connections: { type: 'string', default: '1000' },
    networks: { type: 'string', default: '10' },
    cgroup: { type: 'string' },
  },
})
const wants = (part: 'cost' | 'uploads' | 'flood') => given.only === undefined || given.only === part
const [role, port, ...rest] = process.env.BENCH_ROLE?.split(' ') ?? []
if (given.help) console.log(HELP)
else if (role === 'sink') serveUploads(port === 'on')
else if (role === 'flood') await flood(Number(port), Number(rest[0]), Number(rest[1]))
else {
  if (wants('cost')) await withProcesses('pipelining', compareCosts)
  if (wants('uploads')) await withProcesses('pipelining', compareUploads)
  if (wants('flood')) await withProcesses('pipelining', measureFlood)
}

function want(isMet: boolean, what: string): void {
  console.log(`${isMet ? 'as wanted' : 'NOT WANTED'}: ${what}`)
  if (!isMet) process.exitCode = 1
}

async function startGateway(
  folder: string,
  children: ChildProcess[],
  environment: Record<string, string>,
  actions?: string,
) {
  const every = await startPageRenderer(children)
  await writeEmptyApp(folder, { pages: PAGES })
  const gateway = await startGatewayProcess({
    appDir: folder,
    every,
    ...(actions !== undefined && { actions: { ...every, url: actions } }),
    cgroup: given.cgroup,
    // As in docker/Dockerfile.
    environment: {
      GATEWAY_CACHE_MB: '64',
      STACK_TOKEN: 't'.repeat(40),
      MALLOC_ARENA_MAX: '1',
      ...HOOKED,
      ...environment,
    },
  })
  children.push(gateway.child)
  return gateway
}

async function compareCosts(folder: string, children: ChildProcess[]): Promise<void> {
  const targets: Target[] = []
  for (const cut of ['off', 'on']) {
    const { url, child } = await startGateway(folder, children, { BENCH_CUT: cut })
    targets.push({ name: `limit ${cut}`, url: `${url}/kept`, process: child })
  }
  const middle = measureInTurns(targets, turnsOf(given))
  for (const { name } of targets)
    console.log(`page from memory, ${name.padEnd(10)} ${middle(name, 'cpu').toFixed(1).padStart(8)} us/request`)
  const cost = middle('limit on', 'cpu') - middle('limit off', 'cpu')
  want(cost <= MOST_COST_US, `${cost.toFixed(1)} us a request, at most ${MOST_COST_US}`)
}

function serveUploads(isLimited: boolean): void {
  const server = createServer((incoming, response) => incoming.on('end', () => response.end()).resume())
  if (isLimited) limitPipelining(server)
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

async function compareUploads(folder: string, children: ChildProcess[]): Promise<void> {
  const sinks = { off: await startSink('off', children), on: await startSink('on', children) }
  const actions = `http://127.0.0.1:${sinks.off.port}`
  const targets: UploadTarget[] = []
  for (const limit of ['off', 'on'] as const) {
    const { url, child } = await startGateway(folder, children, { BENCH_CUT: limit }, actions)
    targets.push({ ...sinks[limit], name: `node:http, limit ${limit}` })
    targets.push({ child, port: Number(new URL(url).port), name: `gateway, limit ${limit}` })
  }
  const times = new Map(targets.map(({ name }) => [name, [] as number[]]))
  for (let round = 0; round <= Number(given.rounds); round++)
    for (const { name, child, port } of targets) {
      const before = processorMs(child.pid)
      for (let count = 0; count < UPLOADS_A_ROUND; count++) await upload(port)
      // The first round warms up.
      if (round > 0) times.get(name)?.push((processorMs(child.pid) - before) / UPLOADS_A_ROUND)
    }
  const middle = (name: string) => median(times.get(name) ?? [])
  for (const { name } of targets)
    console.log(`upload of 60 MB, ${name.padEnd(20)} ${middle(name).toFixed(0).padStart(6)} ms`)
  const ratio = (server: string) => middle(`${server}, limit on`) / middle(`${server}, limit off`)
  console.log(`node:http: ${ratio('node:http').toFixed(2)} of the time without the limit`)
  want(ratio('gateway') <= MOST_UPLOAD, `gateway: ${ratio('gateway').toFixed(2)}, at most ${MOST_UPLOAD}`)
}

interface UploadTarget {
  name: string
  child: ChildProcess
  port: number
}

async function startSink(limit: 'off' | 'on', children: ChildProcess[]) {
  const child = fork(import.meta.filename, { env: { ...process.env, BENCH_ROLE: `sink ${limit}` } })
  children.push(child)
  return { child, port: Number((await once(child, 'message'))[0]) }
}

function upload(port: number): Promise<void> {
  return new Promise((done, failed) => {
    const headers = { 'content-length': UPLOAD_BYTES, 'sec-fetch-site': 'same-origin' }
    const sent = request({ port, host: '127.0.0.1', path: '/api/upload', method: 'POST', headers })
    sent.on('error', failed).on('response', (response) => {
      if (response.statusCode !== 200) failed(new Error(`an upload had the status ${response.statusCode}`))
      response.on('end', () => done()).resume()
    })
    let left = UPLOAD_BYTES
    const more = () => {
      while (left > 0) {
        const piece = PIECE.subarray(0, Math.min(left, PIECE.length))
        left -= piece.length
        if (!sent.write(piece)) return void sent.once('drain', more)
      }
      sent.end()
    }
    more()
  })
}

/** The process of the clients that pipeline. Reports how many responses they got, when all connections are closed. */
async function flood(port: number, connections: number, networks: number): Promise<void> {
  const one = 'GET /kept HTTP/1.1\r\nHost: a\r\n\r\n'
  const bytes = Buffer.from(one.repeat(Math.floor((64 * 1024) / one.length)))
  await once(process, 'message')
  let responses = 0
  const closed = Array.from({ length: connections }, (_, at) => {
    const localAddress = `127.${1 + (at % networks)}.0.1`
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(bytes))
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      responses += chunk.toString('latin1').split('HTTP/1.1 ').length - 1
    })
    return once(socket, 'close').catch(() => undefined)
  })
  await Promise.all(closed)
  process.send?.(responses)
}

/** The response times of another client, in milliseconds, with the time at which each request was due. */
async function probe(url: string): Promise<{ at: number; ms: number }[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, localAddress: '127.200.0.1' })
  const times: { at: number; ms: number }[] = []
  const began = performance.now()
  const pending: Promise<void>[] = []
  for (let at = 0; at < PROBED_MS; at += PROBE_EVERY_MS) {
    const due = began + at
    const wait = due - performance.now()
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
    pending.push(
      new Promise((done) => {
        const end = (isOk: boolean) => {
          times.push({ at, ms: isOk ? performance.now() - due : Number.POSITIVE_INFINITY })
          done()
        }
        request(url, { agent, timeout: 60_000 })
          .on('error', () => end(false))
          .on('response', (response) => response.on('end', () => end(response.statusCode === 200)).resume())
          .end()
      }),
    )
  }
  await Promise.all(pending)
  agent.destroy()
  return times
}

async function measureFlood(folder: string, children: ChildProcess[]): Promise<void> {
  const [connections, networks] = [Number(given.connections), Number(given.networks)]
  const gateway = await startGateway(folder, children, { ACCESS_LINES_PER_CLIENT: '100' })
  const { port } = new URL(gateway.url)
  const role = `flood ${port} ${connections} ${networks}`
  const client = fork(import.meta.filename, { env: { ...process.env, BENCH_ROLE: role } })
  children.push(client)
  await probe(`${gateway.url}/made`)
  const before = await collected(gateway)
  const ended = once(client, 'message')
  client.send('begin')
  const times = await probe(`${gateway.url}/made`)
  const responses = Number((await ended)[0])
  const after = await collected(gateway)
  const peak = memoryOf(gateway, 'VmHWM')
  const [first, later] = [times.filter(({ at }) => at < 1000), times.filter(({ at }) => at >= 1000)].map(p99)
  console.log(`${connections} connections of ${networks} networks, ${responses} responses
memory before ${before.toFixed(0)} MB, peak ${peak.toFixed(0)} MB, after a collection ${after.toFixed(0)} MB
p99 of another client in the first second ${first?.toFixed(0)} ms, later ${later?.toFixed(0)} ms`)
  want(gateway.child.exitCode === null && gateway.child.signalCode === null, 'the gateway lives')
  want(responses <= MAX_PIPELINED * connections, `at most ${MAX_PIPELINED} responses a connection`)
  want(
    after - before <= connections / 16 + 32,
    `${(after - before).toFixed(0)} MB more, at most ${(connections / 16 + 32).toFixed(0)}`,
  )
  want(peak <= 0.8 * CONTAINER_MB, `peak ${peak.toFixed(0)} MB, at most ${(0.8 * CONTAINER_MB).toFixed(0)}`)
  want(later !== undefined && later < MOST_P99_MS, `p99 ${later?.toFixed(0)} ms, under ${MOST_P99_MS}`)
}

function p99(times: { ms: number }[]): number {
  const sorted = times.map(({ ms }) => ms).sort((left, right) => left - right)
  return sorted[Math.floor(0.99 * sorted.length)] ?? Number.NaN
}

/** Memory of the gateway after a collection, in megabytes. */
async function collected(gateway: GatewayProcess): Promise<number> {
  gateway.child.kill('SIGUSR2')
  await new Promise((done) => setTimeout(done, 500))
  return memoryOf(gateway, 'VmRSS')
}

function memoryOf({ child }: GatewayProcess, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
}
