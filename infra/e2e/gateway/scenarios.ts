// What is done to a stage while visitors come at a steady rate: replicas are recreated, killed, frozen. Each resolves
// with what the visitors met; whoever calls says what must hold.

import type { ServiceName } from './fleet.ts'
import { readMetric, type Stage, until } from './stage.ts'
import { countResults, startTraffic, type Traffic, type Visit } from './traffic.ts'

export interface Options {
  service: ServiceName
  perSecond: number
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

function begin(stage: Stage, perSecond: number): Traffic {
  return startTraffic({ port: stage.balancer.port, perSecond, actionId: stage.actionIds.get('trace') ?? '' })
}

/** One line for the log of a run. */
export function describeVisits(what: string, perSecond: number, visits: readonly Visit[]): string {
  const pages = visits.filter(({ kind }) => kind === 'page')
  const times = pages.map(({ ms }) => ms).sort((left, right) => left - right)
  const [half, most] = [0.5, 0.99].map((share) => times[Math.floor(share * (times.length - 1))]?.toFixed(1))
  return `${what}: ${visits.length} requests at ${perSecond}/s, ${JSON.stringify(countResults(visits))}, pages p50 ${half} ms, p99 ${most} ms`
}

/** Stops and starts `count` replicas, one after the other. */
export async function recreate(stage: Stage, { service, perSecond, count }: Options & { count: number }) {
  const traffic = begin(stage, perSecond)
  const codes: (number | null)[] = []
  for (const member of stage.fleet.members(service).slice(0, count)) {
    await pause(500)
    codes.push(await stage.fleet.stop(member))
    await stage.fleet.start(service)
  }
  await pause(500)
  return { visits: await traffic.stop(), codes }
}

/** Kills a replica without a word; later its address is forgotten and another one comes. */
export async function kill(stage: Stage, { service, perSecond }: Options) {
  const traffic = begin(stage, perSecond)
  await pause(2500)
  const [member] = stage.fleet.members(service)
  if (!member) throw new Error(`no replica of ${service}`)
  const killedAt = traffic.now()
  await stage.fleet.kill(member)
  await pause(2500)
  await stage.fleet.forget(member)
  await stage.fleet.start(service)
  return { visits: await traffic.stop(), killedAt }
}

/** Stops a replica's process where it stands, and lets it go on when every gateway has it out. */
export async function freeze(stage: Stage, { service, perSecond }: Options) {
  const traffic = begin(stage, perSecond)
  await pause(2000)
  const [member] = stage.fleet.members(service)
  if (!member) throw new Error(`no replica of ${service}`)
  const ready = async (count: number) => {
    const gateways = stage.fleet.members('gateway')
    const labels = `upstream="${service}",state="ready"`
    const figures = await Promise.all(gateways.map((one) => readMetric(one, 'portico_gateway_replicas', labels)))
    return figures.every((figure) => figure === count)
  }
  const frozenAt = performance.now()
  member.child.kill('SIGSTOP')
  await until('the frozen replica out', () => ready(1)).catch((error: unknown) => {
    member.child.kill('SIGCONT')
    throw error
  })
  const outAfterMs = performance.now() - frozenAt
  await pause(1500)
  member.child.kill('SIGCONT')
  await until('the thawed replica back', () => ready(2))
  return { visits: await traffic.stop(), outAfterMs }
}
