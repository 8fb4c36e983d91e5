// What one hop through the gateway costs: requests per second of a 12 KB page behind a bare node:http proxy, behind
// stock express + http-proxy-middleware, and behind the gateway, in turns on one machine. Take the ratios.
//
//   node infra/bench/gateway-hop.ts [rounds]      needs wrk; takes about 10 s a round (default 3)

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, type RequestListener, request as sendRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../services/shared/node/testing/free-port.ts'
import { MANIFEST_FORMAT } from '../../services/shared/wire/build-output.ts'

const PAGE_BYTES = 12 * 1024
const SECONDS = 3
/** Long enough for the optimising compiler. */
const WARM_SECONDS = 2
const CONNECTIONS = 32
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SELF = fileURLToPath(import.meta.url)

const [role, first, second] = process.argv.slice(2)
if (role === 'upstream') serveUpstream(Number(first), Number(second))
else if (role === 'bare') serve(Number(first), bareProxy(Number(second)))
else if (role === 'stock') await serveStock(Number(first), Number(second))
else await compare(Number(role ?? 3))

async function compare(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-hop-'))
  const [page, inner, bare, stock, gateway, site, gatewayInner] = (await Promise.all(
    [1, 2, 3, 4, 5, 6, 7].map(freePort),
  )) as [number, number, number, number, number, number, number]
  const children = [
    start([SELF, 'upstream', String(page), String(inner)]),
    start([SELF, 'bare', String(bare), String(page)]),
    start([SELF, 'stock', String(stock), String(page)]),
    start([join(ROOT, 'services/gateway/main.ts')], gatewayEnvironment()),
  ]
  const targets = [
    { name: 'no hop', port: page, process: children[0]! },
    { name: 'bare node:http', port: bare, process: children[1]! },
    { name: 'stock express + hpm', port: stock, process: children[2]! },
    { name: 'gateway', port: gateway, process: children[3]! },
  ]
  try {
    for (const { port } of targets) await waitFor(port)
    for (const { port } of targets) measure(port, WARM_SECONDS)
    const results = new Map<string, Figures[]>(targets.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const { name, port, process } of targets) {
        const before = cpuMicroseconds(process)
        const rate = measure(port, SECONDS)
        const cpu = (cpuMicroseconds(process) - before) / (rate * SECONDS)
        results.get(name)?.push({ rate, cpu })
      }
    print(results)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }

  function gatewayEnvironment(): Record<string, string> {
    const dist = join(folder, 'dist')
    mkdirSync(join(dist, 'client', 'static'), { recursive: true })
    const empty = { pages: [], screens: [], apiRoutes: [], actions: [], redirects: [], rewrites: [], headers: [] }
    const manifest = { format: MANIFEST_FORMAT, buildId: 'bench', basePath: '', trailingSlash: false, ...empty }
    writeFileSync(
      join(dist, 'manifest.json'),
      JSON.stringify({ ...manifest, publicFiles: {}, staticFiles: {}, images: {} }),
    )
    const local = (port: number) => `http://127.0.0.1:${port}`
    return {
      HOST: '127.0.0.1',
      PORT: String(gateway),
      SITE_PORT: String(site),
      INNER_PORT: String(gatewayInner),
      APP_DIR: folder,
      DATA_DIR: folder,
      RENDERER_URL: local(page),
      IMAGES_URL: local(page),
      ACTIONS_URL: local(page),
      RENDERER_INNER_URL: local(inner),
      IMAGES_INNER_URL: local(inner),
      ACTIONS_INNER_URL: local(inner),
    }
  }
}

interface Figures {
  /** Requests a second. */
  rate: number
  /** Microseconds of processor time a request: tells more than the rate on a machine that others use, too. */
  cpu: number
}

function print(results: Map<string, Figures[]>): void {
  const median = (name: string, of: keyof Figures) => {
    const values = (results.get(name) ?? []).map((figures) => figures[of]).sort((left, right) => left - right)
    return values[Math.floor(values.length / 2)] ?? 0
  }
  const bare = median('bare node:http', 'rate')
  const stock = median('stock express + hpm', 'rate')
  console.log('through               requests/s   of bare  of stock   CPU us/request')
  for (const name of results.keys()) {
    const rate = median(name, 'rate')
    const ratios = [rate / bare, rate / stock].map((ratio) => ratio.toFixed(2).padStart(9)).join(' ')
    const cpu = median(name, 'cpu').toFixed(0).padStart(16)
    console.log(`${name.padEnd(20)} ${Math.round(rate).toString().padStart(11)} ${ratios} ${cpu}`)
  }
}

/** User and system time of a process so far (Linux; 0 elsewhere). A tick of /proc is 10 ms. */
function cpuMicroseconds(child: ChildProcess): number {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function measure(port: number, seconds: number): number {
  const output = execFileSync('wrk', [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    `http://127.0.0.1:${port}/`,
  ]).toString()
  if (/Non-2xx/.test(output)) throw new Error(`errors at port ${port}:\n${output}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1] ?? 0)
}

function serveUpstream(port: number, innerPort: number): void {
  const body = Buffer.alloc(PAGE_BYTES, '<p>a page of the bench</p>\n')
  serve(port, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': String(body.length) })
    response.end(body)
  })
  serve(innerPort, (_request, response) => response.end('{}'))
}

function bareProxy(target: number): RequestListener {
  const agent = new Agent({ keepAlive: true })
  return (request, response) => {
    const { method, url: path, headers } = request
    const upstream = sendRequest({ host: '127.0.0.1', port: target, method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
  }
}

async function serveStock(port: number, target: number): Promise<void> {
  const { default: express } = await import('express')
  const { createProxyMiddleware } = await import('http-proxy-middleware')
  const app = express()
  app.use(createProxyMiddleware({ target: `http://127.0.0.1:${target}`, agent: new Agent({ keepAlive: true }) }))
  serve(port, app)
}

function serve(port: number, handler: RequestListener): void {
  createServer({ keepAliveTimeout: 75_000 }, handler).listen(port, '127.0.0.1')
}

function start(args: string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, args, {
    env: { ...process.env, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function waitFor(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      (response) => response.ok,
      () => false,
    )
    if (answered) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`nothing answers at port ${port}`)
}
