// Whether a saturated renderer serves all requests alike (L4), and what that costs: closed loops with a fixed number of requests
// in flight, a tenth of them on new connections, straight to the renderer and through the gateway; with the turns of
// loop-turns.ts and without them, one after the other.

import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startBenchSite } from '../bench-site.ts'
import { familyOf, median, processorMs, withProcesses } from '../processes.ts'
import { type ClosedLoop, type LoopFigures, runClosedLoop } from './closed-loop.ts'
import { HOOKED } from './gateway-hook.ts'

const HELP = `node infra/bench/gateway/saturation.ts [--in-flight 400,1000] [--rounds 3] [--seconds 4] [--slow 200] [--workers 1]

Requests in flight from 200 networks, all sent in the same moment at first; one request of ten closes its connection, so
that the next needs a new one. For each number: the page that is rendered for each request, straight to the renderer and
through the gateway. Then through the gateway with the largest number and --slow requests besides (0: none) for a page whose
data function waits for five seconds. Medians of the rounds; "us" is the processor time of a request in both services.

Exit code 1 if with turns a response was not 200, a connection failed, the p99.9 is above 3 times the median, or requests a
second are below 95 % of those without turns. With the defaults 140 s: two builds and 30 loops.`

/** SPEC L4. */
const MOST_RATIO = 3
const LEAST_RATE = 0.95
const WARM: ClosedLoop = { inFlight: 16, seconds: 2, path: '/' }
const TURNS = ['off', 'on'] as const

const { values: given } = parseArgs({
  options: {
    'in-flight': { type: 'string', default: '400,1000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    slow: { type: 'string', default: '200' },
    workers: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
if (given.help) console.log(HELP)
else await withProcesses('saturation', run)

interface Round {
  figures: LoopFigures
  /** The time of a request in both services. */
  processorUs: number
}

async function run(folder: string, children: ChildProcess[]): Promise<void> {
  const start = (turns: (typeof TURNS)[number]) =>
    startBenchSite(join(folder, turns), children, { ...HOOKED, BENCH_TURNS: turns }, { GATEWAY_WORKERS: given.workers })
  const sites = { off: await start('off'), on: await start('on') }
  const seconds = Number(given.seconds)
  for (const turns of TURNS)
    for (const way of ['renderer', 'gateway'] as const) await runClosedLoop(sites[turns][way], WARM)

  const compare = async (name: string, inFlight: number, loop: (site: typeof sites.on) => Promise<LoopFigures>) => {
    const rounds = { off: [] as Round[], on: [] as Round[] }
    for (let round = 0; round < Number(given.rounds); round++)
      for (const turns of TURNS) {
        const { processes } = sites[turns]
        const spent = () =>
          processes.flatMap(({ pid }) => familyOf(pid ?? 0)).reduce((ms, id) => ms + processorMs(id), 0)
        const before = spent()
        const figures = await loop(sites[turns])
        const requests = figures.perSecond * seconds
        rounds[turns].push({ figures, processorUs: (1000 * (spent() - before)) / requests })
      }
    const off = report(name, inFlight, 'off', rounds.off)
    const on = report(name, inFlight, 'on', rounds.on)
    console.log(`${' '.repeat(35)} ${(on.perSecond / off.perSecond).toFixed(2).padStart(11)} of the rate without turns`)
    if (on.ratio > MOST_RATIO || on.failures > 0 || on.perSecond < LEAST_RATE * off.perSecond) process.exitCode = 1
  }

  console.log(
    '                      turns in flight  requests/s      us     p50     p99   p99.9     max  p99.9/p50  oldest  failed',
  )
  const numbers = given['in-flight'].split(',').map(Number)
  for (const inFlight of numbers)
    for (const way of ['renderer', 'gateway'] as const)
      await compare(way, inFlight, (site) => runClosedLoop(site[way], { inFlight, seconds, path: '/' }))
  const slow = Number(given.slow)
  if (slow === 0) return
  const inFlight = Math.max(...numbers)
  await compare('gateway, next to slow', inFlight, async ({ gateway }) => {
    const waiting = runClosedLoop(gateway, { inFlight: slow, seconds: Math.max(seconds, 6), path: '/slow' })
    const figures = await runClosedLoop(gateway, { inFlight, seconds, path: '/' })
    const failed = new Map([...figures.failed, ...(await waiting).failed])
    return { ...figures, failed }
  })
}

function report(name: string, inFlight: number, turns: string, rounds: readonly Round[]) {
  const middle = (of: (round: Round) => number) => median(rounds.map(of))
  const at = (share: number) => middle(({ figures }) => figures.at(share))
  const perSecond = middle(({ figures }) => figures.perSecond)
  const ratio = middle(({ figures }) => figures.at(0.999) / figures.at(0.5))
  const failed = rounds.flatMap(({ figures }) => [...figures.failed])
  const figures = [
    perSecond.toFixed(0).padStart(11),
    middle(({ processorUs }) => processorUs)
      .toFixed(0)
      .padStart(7),
    ...[0.5, 0.99, 0.999, 1].map((share) => at(share).toFixed(0).padStart(7)),
    ratio.toFixed(2).padStart(10),
    middle(({ figures: { oldestMs } }) => oldestMs)
      .toFixed(0)
      .padStart(7),
    ` ${failed.map(([what, count]) => `${count} × ${what}`).join(', ') || 0}`,
  ]
  console.log(`${name.padEnd(21)} ${turns.padStart(5)} ${String(inFlight).padStart(9)} ${figures.join(' ')}`)
  return { perSecond, ratio, failures: failed.length }
}
