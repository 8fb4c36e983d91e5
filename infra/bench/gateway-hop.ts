// What one hop through the gateway costs: a 12 KB page behind nginx, a bare node:http proxy, stock express +
// http-proxy-middleware, and the gateway, in turns on one machine (take the ratios); a page that the gateway compresses or
// passes on compressed; and what each hop adds to the time of an answer at a steady rate.
//
//   node infra/bench/gateway-hop.ts [rounds [rate]]   needs wrk and, for its line, nginx; about 45 s a round (default 3
//                                                     rounds, 2000 requests a second)

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, type RequestListener, request as sendRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { freePort } from '../../services/shared/node/testing/free-port.ts'
import { MANIFEST_FORMAT } from '../../services/shared/wire/build-output.ts'
import { percentile, steadily } from './images-pace.ts'

const PAGE_BYTES = 12 * 1024
const SECONDS = 3
/** Long enough for the optimising compiler. */
const WARM_SECONDS = 2
const CONNECTIONS = 32
const PACE_SECONDS = 3
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SELF = fileURLToPath(import.meta.url)

const [role, first, second] = process.argv.slice(2)
if (role === 'upstream') serveUpstream(Number(first), Number(second))
else if (role === 'bare') serve(Number(first), bareProxy(Number(second)))
else if (role === 'stock') await serveStock(Number(first), Number(second))
else if (role === 'pace') await pace(Number(first), Number(second))
else await compare(Number(role ?? 3), Number(first ?? 2000))

interface Target {
  name: string
  port: number
  process: ChildProcess
  path?: string
  /** Accept-Encoding of the requests. */
  accepts?: string
}

async function compare(rounds: number, perSecond: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-hop-'))
  const children: ChildProcess[] = []
  try {
    const targets = await startTargets(folder, children)
    for (const { port } of targets) await waitFor(port)
    for (const target of targets) measure(target, WARM_SECONDS)
    const results = new Map<string, Figures[]>(targets.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const target of targets) {
        const before = cpuMicroseconds(target.process)
        const rate = measure(target, SECONDS)
        const cpu = (cpuMicroseconds(target.process) - before) / (rate * SECONDS)
        results.get(target.name)?.push({ rate, cpu })
      }
    print(results)
    printAdded(targets, rounds, perSecond)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

async function startTargets(folder: string, children: ChildProcess[]): Promise<Target[]> {
  const [page, inner, bare, stock, gateway, nginx] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const run = (child: ChildProcess): ChildProcess => {
    children.push(child)
    return child
  }
  const environment = { ...writeSite(folder), PORT: String(gateway), ...(await addressesOf(page, inner)) }
  const targets: Target[] = [
    { name: 'no hop', port: page, process: run(start([SELF, 'upstream', String(page), String(inner)])) },
    { name: 'bare node:http', port: bare, process: run(start([SELF, 'bare', String(bare), String(page)])) },
    { name: 'stock express + hpm', port: stock, process: run(start([SELF, 'stock', String(stock), String(page)])) },
  ]
  const ours = run(start([join(ROOT, 'services/gateway/main.ts')], environment))
  targets.push(
    { name: 'gateway', port: gateway, process: ours },
    { name: 'gateway, compresses', port: gateway, process: ours, accepts: 'br' },
    { name: 'gateway, passes on', port: gateway, process: ours, accepts: 'br', path: '/compressed' },
  )
  const reference = startNginx(folder, nginx, page)
  if (reference) targets.splice(1, 0, { name: 'nginx, keep-alive', port: nginx, process: run(reference) })
  else console.log('no nginx on this machine: its line is left out')
  return targets
}

/** An app folder without pages. */
function writeSite(folder: string): Record<string, string> {
  const dist = join(folder, 'dist')
  mkdirSync(join(dist, 'client', 'static'), { recursive: true })
  const empty = { pages: [], screens: [], apiRoutes: [], actions: [], redirects: [], rewrites: [], headers: [] }
  const manifest = { format: MANIFEST_FORMAT, buildId: 'bench', basePath: '', trailingSlash: false, ...empty }
  writeFileSync(
    join(dist, 'manifest.json'),
    JSON.stringify({ ...manifest, publicFiles: {}, staticFiles: {}, images: {} }),
  )
  return { HOST: '127.0.0.1', APP_DIR: folder, DATA_DIR: folder }
}

async function addressesOf(page: number, inner: number): Promise<Record<string, string>> {
  const addresses: Record<string, string> = {
    SITE_PORT: String(await freePort()),
    INNER_PORT: String(await freePort()),
  }
  for (const service of ['RENDERER', 'IMAGES', 'ACTIONS']) {
    addresses[`${service}_URL`] = `http://127.0.0.1:${page}`
    addresses[`${service}_INNER_URL`] = `http://127.0.0.1:${inner}`
  }
  return addresses
}

/** One process, keep-alive upstreams, an access log; undefined where there is no nginx. */
function startNginx(folder: string, port: number, target: number): ChildProcess | undefined {
  if (spawnSync('nginx', ['-v']).error) return undefined
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit; events { worker_connections 1024; }
     http {
       access_log ${folder}/access.log combined buffer=64k; ${temporary}
       upstream page { server 127.0.0.1:${target}; keepalive 64; }
       server {
         listen 127.0.0.1:${port};
         location / { proxy_pass http://page; proxy_http_version 1.1; proxy_set_header Connection ""; }
       }
     }`,
  )
  return spawn('nginx', ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] })
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

interface PaceFigures {
  p50: number
  p99: number
}

/** What each hop adds to the times of answers without one, at a rate that none of them is at its end with. */
function printAdded(targets: Target[], rounds: number, perSecond: number): void {
  const hops = targets.filter(({ accepts }) => accepts === undefined)
  const times = new Map(hops.map(({ name }) => [name, [] as PaceFigures[]]))
  for (let round = 0; round < rounds; round++)
    for (const { name, port } of hops) {
      const output = execFileSync(process.execPath, [SELF, 'pace', String(port), String(perSecond)])
      // Written by pace() below.
      times.get(name)?.push(JSON.parse(output.toString()) as PaceFigures)
    }
  const middle = (name: string, of: keyof PaceFigures) =>
    percentile(
      (times.get(name) ?? []).map((each) => each[of]),
      0.5,
    )
  console.log(`\nat ${perSecond}/s`.padEnd(21), ' p50 ms   p99 ms  p99 added')
  for (const { name } of hops) {
    const added = middle(name, 'p99') - middle('no hop', 'p99')
    const figures = [middle(name, 'p50'), middle(name, 'p99'), added].map((ms) => ms.toFixed(2).padStart(8))
    console.log(`${name.padEnd(20)} ${figures.join(' ')}`)
  }
}

/** Times of answers at a steady rate, whatever they take; in a process of its own. */
async function pace(port: number, perSecond: number): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  const ask = (): Promise<void> =>
    new Promise((done, failed) => {
      const sent = performance.now()
      const request = sendRequest({ host: '127.0.0.1', port, agent }, (response) => {
        response.resume().on('end', () => {
          times.push(performance.now() - sent)
          done()
        })
      })
      request.on('error', failed)
      request.end()
    })
  await steadily({ perSecond, count: perSecond }, ask)
  times.length = 0
  await steadily({ perSecond, count: perSecond * PACE_SECONDS }, ask)
  agent.destroy()
  process.stdout.write(JSON.stringify({ p50: percentile(times, 0.5), p99: percentile(times, 0.99) }))
}

/** User and system time of a process so far (Linux; 0 elsewhere). A tick of /proc is 10 ms. */
function cpuMicroseconds(child: ChildProcess): number {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function measure({ port, path = '/', accepts }: Target, seconds: number): number {
  const header = accepts === undefined ? [] : ['-H', `Accept-Encoding: ${accepts}`]
  const url = `http://127.0.0.1:${port}${path}`
  const output = execFileSync('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...header, url]).toString()
  if (/Non-2xx/.test(output)) throw new Error(`errors at port ${port}:\n${output}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1] ?? 0)
}

function serveUpstream(port: number, innerPort: number): void {
  const page = Buffer.from(pageText())
  const compressed = brotliCompressSync(page)
  serve(port, (request, response) => {
    const isCompressed = request.url === '/compressed'
    const body = isCompressed ? compressed : page
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': String(body.length) }
    response.writeHead(200, isCompressed ? { ...headers, 'content-encoding': 'br', vary: 'accept-encoding' } : headers)
    response.end(body)
  })
  serve(innerPort, (_request, response) => response.end('{}'))
}

/** Markup that repeats around words that do not, as a page of cards has them. */
function pageText(): string {
  let text = '<!DOCTYPE html>'
  for (let at = 0; text.length < PAGE_BYTES; at++)
    text += `<article class="card"><a href="/places/${(at * 7919).toString(36)}"><h2>${((at * 2_654_435_761) % 2 ** 32).toString(36)}</h2></a></article>\n`
  return text.slice(0, PAGE_BYTES)
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
