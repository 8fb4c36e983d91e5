// Probes of gateways: over HTTP, where the time of both ends counts, and with a probe that is a function.

import { setTimeout as sleep } from 'node:timers/promises'
import { createReplicas, PROBE_INTERVAL_MS, type Replicas } from '@portico/gateway/replicas/service-replicas.ts'
import { type Probe, probeReady } from '@portico/shared/kit/life/replica-probe.ts'
import { median, processorMs } from '../processes.ts'
import { addressesOf, type InnerPorts, start } from './control.ts'
import type { BookkeepingFigures, ProbeFigures } from './figures.ts'

const WARM_MS = 2000
const ROUNDS = 5

interface Options {
  gateways: number
  replicas: number
  seconds: number
}

/** Probes over HTTP, from this process to the inner ports. */
export async function measureProbes(options: Options & { child: InnerPorts }): Promise<ProbeFigures> {
  const { child, gateways, replicas, seconds } = options
  const addresses = addressesOf(replicas)
  await start(child, { addresses, port: child.port })
  let probes = 0
  const followed = await follow({ gateways, addresses, port: child.port }, async (...place) => {
    const probed = await probeReady(...place)
    if (probed.result === 'ready') probes++
    return probed
  })
  try {
    await sleep(WARM_MS)
    const readings: { gatewayMs: number; replicaMs: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const before = { probes, own: process.cpuUsage(), other: processorMs(child.process.pid) }
      await sleep((1000 * seconds) / ROUNDS)
      const { user, system } = process.cpuUsage(before.own)
      const count = probes - before.probes
      readings.push({
        gatewayMs: (user + system) / 1000 / count,
        replicaMs: (processorMs(child.process.pid) - before.other) / count,
      })
    }
    return {
      gateways,
      replicas,
      gatewayMs: median(readings.map(({ gatewayMs }) => gatewayMs)),
      replicaMs: median(readings.map(({ replicaMs }) => replicaMs)),
    }
  } finally {
    for (const each of followed) each.close()
  }
}

/** All gateways with all replicas; a probe resolves in the next turn of the event loop. */
export async function simulateProbes({ gateways, replicas, seconds }: Options): Promise<BookkeepingFigures> {
  const addresses = addressesOf(replicas)
  let probes = 0
  let isStopping = false
  const probe = async (address: string): Promise<Probe> => {
    probes++
    await new Promise((done) => setImmediate(done))
    return { result: isStopping && address === addresses[0] ? 'not-ready' : 'ready', version: 'bench.x' }
  }
  const startedAt = performance.now()
  const followed = await follow({ gateways, addresses, port: 1 }, probe)
  const allReadyMs = performance.now() - startedAt
  if (followed.some((each) => readyOf(each) !== replicas))
    throw new Error('a gateway does not know every replica as ready')
  try {
    await sleep(WARM_MS)
    const before = { probes, own: process.cpuUsage(), at: performance.now() }
    await sleep(1000 * seconds)
    const { user, system } = process.cpuUsage(before.own)
    const [count, tookMs] = [probes - before.probes, performance.now() - before.at]
    isStopping = true
    const stoppedAt = performance.now()
    while (followed.some((each) => readyOf(each) === replicas)) {
      await sleep(5)
      if (performance.now() - stoppedAt > 20 * PROBE_INTERVAL_MS) throw new Error('a stopping replica was not noticed')
    }
    return {
      probesPerSecond: (1000 * count) / tookMs,
      probeMs: (user + system) / 1000 / count,
      allReadyMs,
      stopKnownMs: performance.now() - stoppedAt,
    }
  } finally {
    for (const each of followed) each.close()
  }
}

async function follow(
  { gateways, addresses, port }: { gateways: number; addresses: string[]; port: number },
  probe: (address: string, port: number, timeoutMs: number) => Promise<Probe>,
): Promise<Replicas[]> {
  const url = new URL(`http://replicas.test:${port}`)
  const followed = Array.from({ length: gateways }, () =>
    createReplicas({ addresses: [{ url, innerUrl: url }], lookup: async () => addresses, probe }),
  )
  // Gateways start at different moments.
  await Promise.all(
    followed.map(async (each, at) => {
      await sleep((PROBE_INTERVAL_MS * at) / gateways)
      await each.start()
    }),
  )
  return followed
}

function readyOf(replicas: Replicas): number {
  return replicas.list().filter((replica) => replicas.stateOf(replica) === 'ready').length
}
