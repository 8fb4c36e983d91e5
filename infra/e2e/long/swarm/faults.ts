// One fault of a cluster under clients: what they received, and what became of their submissions.

import { setTimeout as sleep } from 'node:timers/promises'
import { repeat, type Submission, startClients, type Visit } from './clients.ts'
import type { Cluster } from './cluster.ts'

const BEFORE_MS = 3000
const AFTER_MS = 6000
/** Submissions that are sent again at the same time, after the fault. */
const LANES = 10

interface Figures {
  sent: number
  failed: number
  /** From the fault to the end of the last request that failed; 0 without one. */
  lastFailureMs: number
  /** From the fault to the sending of the last request that failed; 0 without one, or before the fault. */
  lastSentMs: number
  longestMs: number
  /** How often a kind of request failed in which way. */
  failures: Record<string, number>
}

export interface Outcome {
  reads: Figures
  forms: Figures
  /** From the fault until every service had all its replicas. */
  wholeMs: number
  /** Submissions with a result. */
  acknowledged: number
  /** Submissions that ran more than once; each acknowledged one was sent again at the end. */
  twice: string[]
  /** Acknowledged submissions that have not run. */
  lost: string[]
  /** How often the repetition of an acknowledged submission was not: by its response. */
  forgotten: Record<string, number>
  /** How often submissions ended without a result, by the last response. */
  open: Record<string, number>
}

/** Lets a fault happen under clients. The fault calls `whole` when the cluster has all its replicas again. */
export async function during(cluster: Cluster, fault: (whole: () => void) => Promise<unknown>): Promise<Outcome> {
  const clients = startClients(cluster.nodes.addresses)
  await sleep(BEFORE_MS)
  const faultAt = clients.now()
  let wholeMs = 0
  const whole = () => {
    wholeMs = Math.round(clients.now() - faultAt)
  }
  const error = await fault(whole).then(
    () => sleep(AFTER_MS),
    (reason: unknown) => ({ reason }),
  )
  const { visits, submissions } = await clients.stop()
  if (error) throw error.reason
  const isForm = ({ kind }: Visit) => kind === 'action'
  const figures = (chosen: Visit[]) => summarize(chosen, faultAt)
  return {
    reads: figures(visits.filter((visit) => !isForm(visit))),
    forms: figures(visits.filter(isForm)),
    wholeMs,
    ...(await settle(cluster, submissions)),
  }
}

function summarize(visits: readonly Visit[], faultAt: number): Figures {
  const failed = visits.filter(({ result }) => result !== 'ok')
  return {
    sent: visits.length,
    failed: failed.length,
    lastFailureMs: Math.round(Math.max(0, ...failed.map(({ at, ms }) => at + ms - faultAt))),
    lastSentMs: Math.round(Math.max(0, ...failed.map(({ at }) => at - faultAt))),
    longestMs: Math.round(Math.max(0, ...visits.map(({ ms }) => ms))),
    failures: countBy(failed, ({ kind, result }) => `${kind} ${result}`),
  }
}

/** Sends every acknowledged submission again, and compares the results with the runs. */
async function settle({ nodes, ledger }: Cluster, submissions: readonly Submission[]) {
  const accepted = submissions.filter(({ result }) => result === 'ok').map(({ name }) => name)
  const lost = accepted.filter((name) => !ledger.runs.has(name))
  const repetitions: string[] = []
  const left = [...accepted.entries()]
  const lane = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const [turn, name] = next
      repetitions.push(await repeat(nodes.addresses, turn, name))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const twice = submissions.map(({ name }) => name).filter((name) => (ledger.runs.get(name) ?? 0) > 1)
  const open = countBy(
    submissions.filter(({ result }) => result !== 'ok'),
    ({ result }) => result,
  )
  const forgotten = countBy(
    repetitions.filter((result) => result !== 'ok'),
    (result) => result,
  )
  return { acknowledged: accepted.length, twice, lost, forgotten, open }
}

function countBy<T>(list: readonly T[], nameOf: (each: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const each of list) counts[nameOf(each)] = (counts[nameOf(each)] ?? 0) + 1
  return counts
}
