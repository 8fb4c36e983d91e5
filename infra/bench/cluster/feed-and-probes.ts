// What the processes of one cluster cost each other: probes of gateways, messages of the invalidation feed, reads of the
// marks. The code of the services, real HTTP and a real Redis; only the number of machines is less than in a cluster.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import type { InnerPorts } from './control.ts'
import type { ClusterFigures } from './figures.ts'
import { measureMessages } from './messages.ts'
import { measureProbes, simulateProbes } from './probes.ts'

const HELP = `node infra/bench/cluster/feed-and-probes.ts [--gateways 50] [--replicas 200] [--sample 5x20] [--seconds 10]

  probes      of --sample gateways x replicas over HTTP: processor time of a probe, at the gateway and at the replica;
              of --gateways x --replicas with a probe that is a function: what choosing and following replicas costs
  reads       of the marks, by all gateways and replicas, from one Redis
  messages    of changes, to all gateways and replicas, over HTTP and the channel of Redis: time until all have applied one

All gateways, or all replicas, share a process here, so that processor time is the figure and not the rate. Take figures
on a machine without other work; docs/scale.md shows them. Needs Linux and redis-server; about a minute.`

const { values: given } = parseArgs({
  options: {
    gateways: { type: 'string', default: '50' },
    replicas: { type: 'string', default: '200' },
    sample: { type: 'string', default: '5x20' },
    seconds: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
})
if (given.help) console.log(HELP)
else await run()

async function run(): Promise<void> {
  const [gateways, replicas, seconds] = [Number(given.gateways), Number(given.replicas), Number(given.seconds)]
  const [sampleGateways = Number.NaN, sampleReplicas = Number.NaN] = given.sample.split('x').map(Number)
  if (![gateways, replicas, seconds, sampleGateways, sampleReplicas].every((number) => number >= 1)) {
    console.error(`every number must be 1 or more\n\n${HELP}`)
    process.exit(1)
  }
  const loadBefore = loadavg()[0] ?? 0
  const figures: ClusterFigures = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.version,
    cores: availableParallelism(),
    loadBefore: round(loadBefore, 1),
    gateways,
    replicas,
    probes: await withInnerPorts((child) =>
      measureProbes({ child, gateways: sampleGateways, replicas: sampleReplicas, seconds }),
    ),
    bookkeeping: await simulateProbes({ gateways, replicas, seconds }),
    ...(await withInnerPorts((child) => measureMessages({ child, processes: gateways + replicas, seconds }))),
  }
  console.log(JSON.stringify(figures, rounded, 2))
}

/** Runs with the process of the inner ports; its port is the same for every address. */
async function withInnerPorts<T>(run: (child: InnerPorts) => Promise<T>): Promise<T> {
  const process = fork(join(import.meta.dirname, 'inner-ports.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await once(process, 'spawn')
  try {
    return await run({ process, port: await freePort() })
  } finally {
    process.kill('SIGKILL')
  }
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? round(value, 4) : value
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
