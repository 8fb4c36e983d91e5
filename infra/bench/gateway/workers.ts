// What a second worker brings: requests a second and processor time of gateways with one and with two workers, in turns, and
// the memory of each process.

import type { ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { familyOf, residentMebibytes, withProcesses } from '../processes.ts'
import { startGatewayProcess, writeEmptyApp } from './gateway-process.ts'
import { startPageRenderer } from './page-renderer.ts'
import { PAGES } from './pages.ts'
import { measureInTurns, type Target, TURN_OPTIONS, turnsOf } from './rates.ts'

const HELP = `node infra/bench/gateway/workers.ts [--rounds 5] [--seconds 3]

Requests a second and processor time of a request of a gateway with GATEWAY_WORKERS=1 and one with 2: a page from memory,
and a page of a renderer, 16 connections, medians of the rounds. Then the memory of each process.

With at least 4 cores wrk and the renderer leave two to the workers: exit code 1 if two workers send less than 1.6 times the
pages from memory of one. With fewer cores the rate says nothing of the workers: exit code 1 if a page costs two workers more
than 1.3 times the processor time of one. Needs wrk; about 15 s a round.`

/** One for wrk, one for the substitute of the renderer, two for the workers. */
const CORES_FOR_RATES = 4
const LEAST_RATE = 1.6
const MOST_TIME = 1.3
const WORKERS = [1, 2] as const

const { values: given } = parseArgs({ options: TURN_OPTIONS })
if (given.help) console.log(HELP)
else await withProcesses('workers', run)

async function run(folder: string, children: ChildProcess[]): Promise<void> {
  const every = await startPageRenderer(children)
  await writeEmptyApp(folder, { pages: PAGES })
  const targets: Target[] = []
  const gateways = new Map<number, ChildProcess>()
  for (const workers of WORKERS) {
    const environment = { GATEWAY_WORKERS: String(workers), GATEWAY_CACHE_MB: '64', STACK_TOKEN: 't'.repeat(40) }
    const { child, url } = await startGatewayProcess({ appDir: folder, every, environment })
    children.push(child)
    gateways.set(workers, child)
    targets.push({ name: `page from memory, ${workers}`, url: `${url}/kept`, process: child })
    targets.push({ name: `page of a renderer, ${workers}`, url: `${url}/made`, process: child })
  }
  report(measureInTurns(targets, turnsOf(given)), targets)
  for (const [workers, { pid = 0 }] of gateways) {
    const memory = familyOf(pid).map((id) => `${Math.round(residentMebibytes(id))} MiB`)
    console.log(`memory, ${workers === 1 ? 'one process' : 'primary and workers'}: ${memory.join(', ')}`)
  }
}

function report(middle: ReturnType<typeof measureInTurns>, targets: readonly Target[]): void {
  console.log(`${given.rounds} rounds, workers      requests/s   CPU us/request`)
  for (const { name } of targets)
    console.log(
      `${name.padEnd(23)} ${Math.round(middle(name, 'rate')).toString().padStart(11)} ${middle(name, 'cpu').toFixed(1).padStart(16)}`,
    )
  const ratio = (of: 'rate' | 'cpu') => middle('page from memory, 2', of) / middle('page from memory, 1', of)
  const hasCores = availableParallelism() >= CORES_FOR_RATES
  const figures = `rate ${ratio('rate').toFixed(2)} and processor time ${ratio('cpu').toFixed(2)} of those of one worker`
  console.log(`two workers, page from memory: ${figures}`)
  if (!hasCores) console.log(`${availableParallelism()} cores, which wrk uses, too: the processor time is the figure`)
  if (hasCores ? ratio('rate') < LEAST_RATE : ratio('cpu') > MOST_TIME) {
    console.log(hasCores ? `wanted a rate of ${LEAST_RATE}` : `wanted a processor time of at most ${MOST_TIME}`)
    process.exitCode = 1
  }
}
