// Scenarios under requests at a steady rate: replicas are recreated, killed, frozen. Each resolves
// with the results of the clients; the caller says what must hold.

import { setTimeout as pause } from 'node:timers/promises'
import type { Member, ServiceName } from './fleet.ts'
import { readMetric, type Stage, until } from './stage.ts'
import { countResults, startTraffic, type Traffic, type Visit } from './traffic.ts'

interface Options {
  service: ServiceName
  perSecond: number
}

/** Sends requests until the work ends or fails. */
async function whileVisited<T>(
  stage: Stage,
  perSecond: number,
  work: (traffic: Traffic) => Promise<T>,
): Promise<T & { visits: Visit[] }> {
  const traffic = startTraffic({ port: stage.balancer.port, perSecond, actionId: stage.actionIds.get('trace') ?? '' })
  const result = await work(traffic).catch(async (error: unknown) => {
    await traffic.stop()
    throw error
  })
  return { ...result, visits: await traffic.stop() }
}

/** One line for the log of a run. */
export function describeVisits(what: string, perSecond: number, visits: readonly Visit[]): string {
  const pages = visits.filter(({ kind }) => kind === 'page')
  const times = pages.map(({ ms }) => ms).sort((left, right) => left - right)
  const [half, most] = [0.5, 0.99].map((share) => times[Math.floor(share * (times.length - 1))]?.toFixed(1))
  return `${what}: ${visits.length} requests at ${perSecond}/s, ${JSON.stringify(countResults(visits))}, pages p50 ${half} ms, p99 ${most} ms`
}

interface RecreateOptions {
  services: readonly ServiceName[]
  perSecond: number
  count: number
}

/** Stops and starts `count` replicas of each service, one after the other; the services at the same time. */
export function recreate(stage: Stage, { services, perSecond, count }: RecreateOptions) {
  const recreateService = async (service: ServiceName) => {
    const codes: (number | null)[] = []
    for (const member of stage.fleet.members(service).slice(0, count)) {
      await pause(500)
      codes.push(await stage.fleet.stop(member))
      await stage.fleet.start(service)
    }
    return codes
  }
  return whileVisited(stage, perSecond, async () => {
    const codes = (await Promise.all(services.map(recreateService))).flat()
    await pause(500)
    return { codes }
  })
}

/** Kills a replica (SIGKILL); later its address is removed and a new replica starts. */
export function kill(stage: Stage, { service, perSecond }: Options) {
  return whileVisited(stage, perSecond, async (traffic) => {
    await pause(2500)
    const member = firstOf(stage, service)
    const killedAt = traffic.now()
    await stage.fleet.kill(member)
    await pause(2500)
    await stage.fleet.forget(member)
    await stage.fleet.start(service)
    return { killedAt }
  })
}

/** Stops a replica's process (SIGSTOP), and continues it when every gateway has ejected it. */
export function freeze(stage: Stage, { service, perSecond }: Options) {
  const ready = async (count: number) => {
    const gateways = stage.fleet.members('gateway')
    const labels = `upstream="${service}",state="ready"`
    const figures = await Promise.all(gateways.map((one) => readMetric(one, 'portico_gateway_replicas', labels)))
    return figures.every((figure) => figure === count)
  }
  return whileVisited(stage, perSecond, async () => {
    await pause(2000)
    const { child } = firstOf(stage, service)
    const frozenAt = performance.now()
    child.kill('SIGSTOP')
    try {
      await until('the frozen replica out', () => ready(1))
      const outAfterMs = performance.now() - frozenAt
      await pause(1500)
      return { outAfterMs }
    } finally {
      child.kill('SIGCONT')
      await until('the thawed replica back', () => ready(2))
    }
  })
}

function firstOf(stage: Stage, service: ServiceName): Member {
  const [member] = stage.fleet.members(service)
  if (!member) throw new Error(`no replica of ${service}`)
  return member
}
