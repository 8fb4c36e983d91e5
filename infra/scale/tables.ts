// The tables of docs/scale.md, and what the calculator prints.

import { PROBE_INTERVAL_MS } from '@portico/gateway/replicas/replicas.ts'
import { READ_MS } from '@portico/shared/kit/feed/feed.ts'
import { KINDS, SOURCES } from './costs.ts'
import type { ClusterFigures } from './figures.ts'
import { limitsOf } from './limits.ts'
import { DEFAULT_MIX, type Plan, planCapacity, type Traffic } from './model.ts'

/** The sizes of the documentation. */
const SIZES: readonly Pick<Traffic, 'requestsPerSecond' | 'regions' | 'cdnShare'>[] = [
  { requestsPerSecond: 1, regions: 1, cdnShare: 0 },
  { requestsPerSecond: 100, regions: 1, cdnShare: 0 },
  { requestsPerSecond: 20_000, regions: 1, cdnShare: 0 },
  { requestsPerSecond: 20_000, regions: 1, cdnShare: 0.9 },
  { requestsPerSecond: 1, regions: 5, cdnShare: 0 },
  { requestsPerSecond: 100, regions: 5, cdnShare: 0 },
  { requestsPerSecond: 20_000, regions: 5, cdnShare: 0 },
  { requestsPerSecond: 20_000, regions: 5, cdnShare: 0.9 },
]
const FAR_MS = 100

/** Every table of the page. */
export function scaleTables(figures: ClusterFigures): string[] {
  const plans = SIZES.map((size) =>
    planCapacity(
      {
        ...size,
        mix: DEFAULT_MIX,
        changesPerSecond: (size.requestsPerSecond * DEFAULT_MIX.action) / 10,
        roundTripMs: size.regions > 1 ? FAR_MS : 0,
      },
      figures,
    ),
  )
  return [costsTable(), planTable(plans), firstLimitsTable(plans, figures), clusterTable(figures)]
}

/** A line for each plan: replicas in all regions by service, memory, load of the state Redis. */
export function planTable(plans: readonly Plan[]): string {
  const head = ['Requests', 'Gateways, renderers, images, actions', 'Memory', 'Core of Redis']
  return table(
    head,
    plans.map(({ traffic, services, originPerSecond, redis }) => [
      describeTraffic(traffic, originPerSecond),
      (['gateway', 'renderer', 'images', 'actions'] as const).map((part) => services[part].replicas).join(', '),
      gigabytes(Object.values(services).reduce((total, { memoryMb }) => total + memoryMb, 0)),
      `${(100 * redis.cores).toFixed(redis.cores < 0.1 ? 1 : 0)} %`,
    ]),
  )
}

function describeTraffic({ requestsPerSecond, regions, cdnShare }: Plan['traffic'], originPerSecond: number): string {
  const all = `${count(requestsPerSecond)}/s in ${regions === 1 ? 'one region' : `${regions} regions`}`
  return cdnShare === 0 ? all : `${all}, ${count(originPerSecond)}/s behind a CDN`
}

/** The limits of one plan, the nearest first. */
export function limitsTable(plan: Plan, figures: ClusterFigures): string {
  return table(
    ['Limit', 'Share', 'Value', 'Remedy'],
    limitsOf(plan, figures).map(({ name, share, text, remedy }) => [name, times(share), text, remedy]),
  )
}

function firstLimitsTable(plans: readonly Plan[], figures: ClusterFigures): string {
  return table(
    ['Size', 'Breaks first', 'Then', 'Third'],
    plans.map((plan) => {
      const { requestsPerSecond, regions, cdnShare } = plan.traffic
      const size = [`${count(requestsPerSecond)}/s`, regions === 1 ? 'one region' : `${regions} regions`]
      const nearest = limitsOf(plan, figures).slice(0, 3)
      return [
        [...size, ...(cdnShare > 0 ? ['CDN'] : [])].join(', '),
        ...nearest.map(({ name, share, text }) => `${name}, ${times(share)} of the limit (${text})`),
      ]
    }),
  )
}

function costsTable(): string {
  return table(
    ['Kind', 'Gateway', 'Behind it', 'Benchmark'],
    KINDS.map((kind) => {
      const { what, costs, bench, from } = SOURCES[kind]
      const behind = (['renderer', 'images', 'actions', 'redis'] as const)
        .filter((part) => costs[part] !== undefined)
        .map((part) => `${part === 'redis' ? 'state Redis' : part} ${milliseconds(costs[part] ?? 0)}`)
      const share = `${Number((100 * DEFAULT_MIX[kind]).toFixed(1))} %`
      return [
        `\`${kind}\`: ${what}, ${share}`,
        milliseconds(costs.gateway ?? 0),
        behind.join(', ') || '–',
        `${bench} ms; ${from}`,
      ]
    }),
  )
}

/** What the processes of a cluster cost each other, as measured and as computed for all of them. */
function clusterTable(figures: ClusterFigures): string {
  const { gateways, replicas, probes, bookkeeping, reads, messages, measured, node, loadBefore, cores } = figures
  const perSecond = 1000 / PROBE_INTERVAL_MS
  const all = gateways * replicas * perSecond
  const feeds = gateways + replicas
  const allReads = (feeds * 1000) / READ_MS
  const share = (value: number) => `${(100 * value).toFixed(1)} %`
  return table(
    [`${gateways} gateways × ${replicas} replicas`, 'Value', 'How'],
    [
      [
        'measured',
        `${measured}, Node ${node}`,
        `${cores} cores; load average of other programs before the run: ${loadBefore}`,
      ],
      ['probes a second', count(all), `${gateways} × ${replicas} × ${perSecond}`],
      [
        'a probe, at the gateway / at the replica',
        `${milliseconds(probes.gatewayMs)} / ${milliseconds(probes.replicaMs)}`,
        `${probes.gateways} gateways × ${probes.replicas} replicas over HTTP`,
      ],
      [
        'probes of one gateway / of one replica',
        `${share((replicas * perSecond * probes.gatewayMs) / 1000)} / ${share((gateways * perSecond * probes.replicaMs) / 1000)} of a core`,
        'computed',
      ],
      [
        'all probes, both ends',
        `${((all * (probes.gatewayMs + probes.replicaMs)) / 1000).toFixed(1)} cores`,
        'computed',
      ],
      [
        'membership and state, without HTTP',
        `${milliseconds(bookkeeping.probeMs)} a probe`,
        `${count(bookkeeping.probesPerSecond)} probes a second, all gateways in one process`,
      ],
      [
        'until all gateways knew all replicas / that one stops',
        `${Math.round(bookkeeping.allReadyMs)} ms / ${Math.round(bookkeeping.stopKnownMs)} ms`,
        'the same run, by the clock; gateways start over one interval',
      ],
      [
        'reads of the marks a second',
        count(allReads),
        `${feeds} processes, one in ${READ_MS} ms; ${count(reads.perSecond)}/s were measured`,
      ],
      [
        'a read, in the process / in Redis',
        `${milliseconds(reads.readMs)} / ${milliseconds(reads.redisMs)}`,
        'all processes, one Redis',
      ],
      ['all reads, in Redis', `${share((allReads * reads.redisMs) / 1000)} of a core`, 'computed'],
      ['messages of one change', count(messages.processes), 'one to each process over HTTP, and one on the channel'],
      [
        'a message, at the publisher / at a process',
        `${milliseconds(messages.publisherMs)} / ${milliseconds(messages.receiverMs)}`,
        `${messages.changes} changes`,
      ],
      ['a change, in Redis', milliseconds(messages.redisMs), 'count, marks, and the channel'],
      [
        'until all had confirmed a change',
        `${Math.round(messages.allConfirmedMs)} ms, 95th percentile ${Math.round(messages.allConfirmedP95Ms)} ms`,
        `by the clock, all processes in one; ${share(messages.confirmedShare)} confirmed in time`,
      ],
      ['until all had read a change without a message', `${Math.round(messages.marksOnlyMs)} ms`, 'by the clock'],
    ],
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return line(head) + `|${'---|'.repeat(head.length)}\n` + rows.map(line).join('')
}

function milliseconds(value: number): string {
  return `${value < 0.01 ? value.toFixed(4) : value < 1 ? value.toFixed(2) : value.toFixed(1)} ms`
}

function count(value: number): string {
  const text = value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value).toString()
  return text.replace(/\B(?=(\d{3})+$)/g, ' ')
}

function gigabytes(megabytes: number): string {
  return `${(megabytes / 1024).toFixed(megabytes < 10_240 ? 1 : 0)} GB`
}

function times(share: number): string {
  return share < 0.1 ? share.toFixed(2) : share.toFixed(1)
}
