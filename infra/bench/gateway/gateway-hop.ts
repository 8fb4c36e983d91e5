// What one hop through the gateway costs: a 12 KB page behind nginx, a bare node:http proxy, stock express +
// http-proxy-middleware, and the gateway, in turns on one machine (take the ratios); a page that the gateway compresses
// or passes on compressed; and the response time that each hop adds at a steady rate.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { median, waitFor, withProcesses } from '../processes.ts'
import { startGatewayProcess, writeEmptyApp } from './gateway-process.ts'
import { startHopServer } from './hop-servers.ts'
import { measurePace, type PaceFigures } from './pace.ts'
import { measureInTurns, type Target } from './rates.ts'

const HELP = `node infra/bench/gateway/gateway-hop.ts [--only rates|pace] [--rounds 5] [--rate 2000]

  rates   requests a second and processor time of a request through each hop, 32 connections
  pace    response times at --rate requests a second, each from the due time of its request; what each hop adds to the p99
          of no hop (wanted of the gateway: under 3 ms)

Figures are medians of the rounds. Needs wrk and, for its line, nginx; about 45 s a round.`

const SECONDS = 3
const WARM_SECONDS = 2
const CONNECTIONS = 32
const PACE_SECONDS = 4

const { values: given } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    rate: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
})
const wants = (part: 'rates' | 'pace') => given.only === undefined || given.only === part
if (given.help) console.log(HELP)
else await compare(Number(given.rounds), Number(given.rate))

async function compare(rounds: number, perSecond: number): Promise<void> {
  await withProcesses('gateway-hop', async (folder, children) => {
    const targets = await startTargets(folder, children)
    if (wants('rates')) compareRates(targets, rounds)
    if (wants('pace'))
      comparePace(
        targets.filter(({ accepts }) => accepts === undefined),
        rounds,
        perSecond,
      )
  })
}

async function startTargets(folder: string, children: ChildProcess[]): Promise<Target[]> {
  const local = (port: number) => `http://127.0.0.1:${port}`
  const [page, inner, bare, stock] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const targets: Target[] = []
  const add = (name: string, url: string, process: ChildProcess, more: { accepts?: string } = {}) => {
    children.push(process)
    targets.push({ name, url, process, ...more })
  }
  add('no hop', local(page), await startHopServer('page', page, inner))
  const nginx = await freePort()
  const reference = startNginx(folder, nginx, page)
  if (reference) {
    add('nginx, keep-alive', local(nginx), reference)
    await waitFor(local(nginx))
  } else console.log('no nginx on this machine: the table has no line for it')
  add('bare node:http', local(bare), await startHopServer('bare', bare, page))
  add('stock express + hpm', local(stock), await startHopServer('stock', stock, page))
  await writeEmptyApp(folder)
  const { url, child } = await startGatewayProcess({
    appDir: folder,
    every: { url: local(page), innerUrl: local(inner) },
  })
  add('gateway', url, child)
  add('gateway, compresses', url, child, { accepts: 'br' })
  add('gateway, passes on', `${url}/compressed`, child, { accepts: 'br' })
  return targets
}

/** One process, keep-alive upstreams, an access log; undefined where there is no nginx. */
function startNginx(folder: string, port: number, target: number): ChildProcess | undefined {
  if (spawnSync('nginx', ['-v']).error) return undefined
  const file = `${folder}/nginx.conf`
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

function compareRates(targets: Target[], rounds: number): void {
  const turns = { rounds, seconds: SECONDS, warmSeconds: WARM_SECONDS, connections: CONNECTIONS }
  const middle = measureInTurns(targets, turns)
  const [bare, stock] = ['bare node:http', 'stock express + hpm'].map((name) => middle(name, 'rate'))
  console.log(`through (${rounds} rounds)     requests/s   of bare  of stock   CPU us/request`)
  for (const { name } of targets) {
    const rate = middle(name, 'rate')
    const ratios = [bare, stock].map((base) => (rate / (base ?? 0)).toFixed(2).padStart(9)).join(' ')
    const cpu = middle(name, 'cpu').toFixed(1).padStart(16)
    console.log(`${name.padEnd(20)} ${Math.round(rate).toString().padStart(11)} ${ratios} ${cpu}`)
  }
}

/** The response time that each hop adds, at a rate that every hop sustains. */
function comparePace(targets: Target[], rounds: number, perSecond: number): void {
  const times = new Map(targets.map(({ name }) => [name, [] as PaceFigures[]]))
  for (const { url } of targets) measurePace(url, perSecond, WARM_SECONDS)
  for (let round = 0; round < rounds; round++)
    for (const { name, url } of targets) times.get(name)?.push(measurePace(url, perSecond, PACE_SECONDS))
  const middle = (name: string, of: keyof PaceFigures) => median((times.get(name) ?? []).map((figures) => figures[of]))
  console.log(`\nat ${perSecond}/s (${rounds} rounds)`.padEnd(21), '  p50 ms   p99 ms  p99 added')
  for (const { name } of targets) {
    const added = middle(name, 'p99') - middle('no hop', 'p99')
    const figures = [middle(name, 'p50'), middle(name, 'p99'), added].map((ms) => ms.toFixed(2).padStart(8))
    const failed = middle(name, 'failed')
    console.log(`${name.padEnd(20)} ${figures.join(' ')}${failed > 0 ? `  rate not sustained: ${failed} failed` : ''}`)
  }
}
