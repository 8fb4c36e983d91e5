// The cost of an action with all its protection: requests per second of a trivial action through the gateway,
// idempotency on, against the same handler on bare express behind a stock express + http-proxy-middleware hop. In turns
// on one machine; only the ratios count.
//
//   node infra/bench/actions.ts --help

import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { readNumbers } from './command-line.ts'
import { READY, startGatewayProcess, writeEmptyApp } from './gateway/gateway-process.ts'
import { startHopServer } from './gateway/hop-servers.ts'
import { median, processorMs, requestsPerSecond, startNode, startService, waitFor } from './processes.ts'

const HELP = `node infra/bench/actions.ts [rounds [seconds]]

Requests per second of a trivial action, rounds times (default 3) of so many seconds (default 4) for each way, and the
processor time of a request in gateway, actions service and Redis. Needs wrk and redis-server; about 25 s a round.`
const SELF = fileURLToPath(import.meta.url)
const CONNECTIONS = 32
const WARM_SECONDS = 3
const TOKEN = 'a-token-of-the-bench-a-token-of-the-bench'
const BUNDLE = `export const bundle = {
  actions: { add: { name: 'add', load: async () => (left, right) => left + right } },
  apiRoutes: {},
  runWithContext: (_context, run) => run(),
}`

const [role, first] = process.argv.slice(2)
if (role === 'express') await serveExpress(Number(first))
else if (role === 'renderer') serveRenderer(Number(first))
else await compare(readNumbers(HELP, { rounds: 3, seconds: 4 }))

async function compare({ rounds, seconds }: { rounds: number; seconds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-actions-'))
  const script = await writeSite(folder)
  const children: ChildProcess[] = []
  try {
    const targets = await startTargets(folder, children)
    const measure = ({ url, withPage }: Target, forSeconds: number) =>
      requestsPerSecond(url, {
        connections: CONNECTIONS,
        seconds: forSeconds,
        script,
        environment: { BENCH_PAGE: withPage ? 'yes' : 'no' },
      })
    const results = new Map(targets.map(({ name }) => [name, [] as Reading[]]))
    for (const target of targets) measure(target, WARM_SECONDS)
    for (let round = 0; round < rounds; round++)
      for (const target of targets) {
        const spent = () => target.processes.map(({ pid }) => processorMs(pid))
        const before = spent()
        const rate = measure(target, seconds)
        const costsMs = spent().map((after, at) => (after - (before[at] ?? 0)) / (rate * seconds))
        results.get(target.name)?.push({ rate, costsMs })
      }
    print(results)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

/** Requests per second, and milliseconds of processor time of a request in each process of the target. */
interface Reading {
  rate: number
  costsMs: number[]
}

function print(results: Map<string, Reading[]>): void {
  const rateOf = (name: string) => median((results.get(name) ?? []).map(({ rate }) => rate))
  const stock = rateOf('stock hop + bare express')
  console.log('through                                requests/s  of stock   CPU ms: gateway, actions, Redis')
  for (const [name, readings] of results) {
    const rate = rateOf(name)
    const costs = (readings[0]?.costsMs ?? []).map((_, at) =>
      median(readings.map(({ costsMs }) => costsMs[at] ?? Number.NaN)).toFixed(3),
    )
    console.log(
      `${name.padEnd(38)} ${Math.round(rate).toString().padStart(10)} ${(rate / stock).toFixed(2).padStart(9)}   ${costs.join(', ')}`,
    )
  }
}

interface Target {
  name: string
  url: string
  /** With fresh page data in the response, as browsers request it. */
  withPage: boolean
  /** Gateway, actions service, Redis. */
  processes: ChildProcess[]
}

async function startTargets(folder: string, children: ChildProcess[]): Promise<Target[]> {
  const [express, hop, redis, renderer] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const run = (...args: Parameters<typeof startNode>) => void children.push(startNode(...args))
  const redisArgs = ['--port', String(redis), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const store = spawn('redis-server', redisArgs, { stdio: 'ignore' })
  children.push(store)
  run([SELF, 'express', String(express)])
  run([SELF, 'renderer', String(renderer)])
  const local = (port: number) => `http://127.0.0.1:${port}`
  await waitFor(local(express))
  children.push(await startHopServer('stock', hop, express))
  const portico = async (environment: Record<string, string>) => {
    const [port, innerPort] = [await freePort(), await freePort()]
    const service = startService('actions', {
      HOST: '127.0.0.1',
      APP_DIR: folder,
      STACK_TOKEN: TOKEN,
      LOG_LEVEL: 'info',
      PORT: String(port),
      INNER_PORT: String(innerPort),
      ...fromStack({ innerUrls: { renderer: [local(renderer)] } }),
      ...environment,
    })
    children.push(service)
    const actions = { url: local(port), innerUrl: local(innerPort) }
    await waitFor(`${actions.innerUrl}/readyz`)
    const every = { url: local(renderer), innerUrl: local(renderer) }
    const gateway = await startGatewayProcess({ appDir: folder, every, actions, environment })
    children.push(gateway.child)
    return { url: gateway.url, processes: [gateway.child, service] }
  }
  const sqlite = await portico({ DATA_DIR: join(folder, 'sqlite') })
  const shared = await portico({ DATA_DIR: join(folder, 'redis'), STATE_REDIS_URL: `redis://127.0.0.1:${redis}` })
  shared.processes.push(store)
  return [
    { name: 'stock hop + bare express', url: local(hop), withPage: false, processes: [] },
    { name: 'bare express, no hop', url: local(express), withPage: false, processes: [] },
    { name: 'gateway + actions, Redis', ...shared, withPage: false },
    { name: 'gateway + actions, SQLite', ...sqlite, withPage: false },
    { name: 'gateway + actions, Redis, page data', ...shared, withPage: true },
  ]
}

/** Writes an app folder with the output of a build, and wrk's script next to it. */
async function writeSite(folder: string): Promise<string> {
  const files = { module: '', imports: [], styles: [] }
  await writeEmptyApp(folder, { pages: [{ pattern: '/', file: 'pages/index.tsx', data: 'server', files }] })
  mkdirSync(join(folder, 'dist/actions'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'dist/actions/entry.js'), BUNDLE)
  const script = join(folder, 'post.lua')
  // A key per request, as the browser runtime sends it; a few hundred clients.
  writeFileSync(
    script,
    `
    wrk.method = 'POST'
    local body = '{"args":[2,3]}'
    local start, count = tostring(os.time()) .. tostring({}):gsub('[^%w]', ''), 0
    local fresh = os.getenv('BENCH_PAGE') == 'yes' and 'data' or 'none'
    request = function()
      count = count + 1
      return wrk.format('POST', '/', {
        ['content-type'] = 'application/json', ['sec-fetch-site'] = 'same-origin', ['portico-action'] = 'add',
        ['portico-fresh'] = fresh, ['idempotency-key'] = start .. '.' .. count,
        cookie = 'portico-visitor=visitor-of-the-bench-' .. (100 + count % 400),
      }, body)
    end`,
  )
  return script
}

/** The same handler as an author would write it without Portico. */
async function serveExpress(port: number): Promise<void> {
  const { default: express } = await import('express')
  const app = express()
  app.use(express.json())
  app.get('/', (_request, response) => void response.json({}))
  app.post('/', (request, response) => {
    // The bench's own body.
    const [left, right] = (request.body as { args: [number, number] }).args
    response.json({ kind: 'value', value: left + right, revalidated: false })
  })
  app.listen(port, '127.0.0.1')
}

/** A substitute of the renderer: render.ts measures the cost of rendering. */
function serveRenderer(port: number): void {
  const page = JSON.stringify({ kind: 'page', route: '/', params: {}, props: { list: [1, 2, 3] } })
  createServer((request, response) => {
    request.resume()
    const body = request.url === '/readyz' ? READY : page
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(body.length) })
    response.end(body)
  }).listen(port, '127.0.0.1')
}
