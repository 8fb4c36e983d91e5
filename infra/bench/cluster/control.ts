// How the benchmark of a cluster speaks with the process of the inner ports.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Order, Report } from './inner-ports.ts'

export interface InnerPorts {
  process: ChildProcess
  /** The same for every address. */
  port: number
}

/** Loopback addresses, one for each process of the cluster. */
export function addressesOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `127.1.${Math.floor(at / 250)}.${1 + (at % 250)}`)
}

/** Resolves when every inner port responds. */
export async function start(child: InnerPorts, order: Omit<Extract<Order, { kind: 'start' }>, 'kind'>): Promise<void> {
  await send(child, { kind: 'start', ...order })
}

/** Resolves when every feed knows the generation, with the time of the clock. */
export async function reached(child: InnerPorts, generation: number): Promise<number> {
  const report = await send(child, { kind: 'reach', generation })
  return report.kind === 'reached' ? report.atMs : Number.NaN
}

async function send({ process }: InnerPorts, order: Order): Promise<Report> {
  const [report] = await Promise.all([once(process, 'message'), process.send(order)])
  // The process of this benchmark sends nothing else.
  return report[0] as Report
}
