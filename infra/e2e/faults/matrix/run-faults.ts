// Runs every fault of the table: requests at a steady rate over kept connections, without a second try, and one fault.

import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../../harness/http.ts'
import { type Kind, startTraffic, submissionFaults, type TraceCounts, type Visit } from '../replicas/traffic.ts'
import type { FaultRow } from './fault-table.ts'
import { type Fault, type FaultyStack, type Mode, startStack } from './stacks.ts'

export const PER_SECOND = 25
/** Time before the fault, and after its commands. */
const BEFORE_MS = 3000
const AFTER_MS = 8000
/** The kernel takes this long at most to end the connections of a process that was killed: what arrives until then is lost. */
const ENDING_MS = 100
/** A request that takes longer waited for a service. */
const PAUSE_MS = 500
/** Pages that a cache keeps, pages of each request, streamed pages, images, and submissions that are short. */
const MIX: readonly Kind[] = ['page', 'image', 'page', 'streamed', 'page', 'action', 'page', 'image', 'page', 'page']
const ACTION_MS = 20

interface MatrixOptions {
  mode: Mode
  appDir: string
  /** The id of the action that the requests call. */
  actionId: string
  /** Numbers of replicas, one stack each. */
  counts: readonly number[]
  onRow: (row: FaultRow) => void
}

/** Runs all faults of all services, one after the other. */
export async function runFaults({ mode, appDir, actionId, counts, onRow }: MatrixOptions): Promise<void> {
  for (const count of counts) {
    const stack = await startStack(mode, appDir, count)
    try {
      for (const [service, replicas] of Object.entries(stack.replicas)) {
        if (count > 1 && replicas === 1) continue
        for (const fault of stack.faults) {
          await untilWhole(stack.port)
          onRow({ mode, replicas, ...(await runFault(stack, { fault, service, actionId })) })
        }
      }
    } finally {
      await stack.close()
    }
  }
}

interface OneFault {
  fault: Fault
  service: string
  actionId: string
}

async function runFault(stack: FaultyStack, { fault, service, actionId }: OneFault) {
  // Other images for each fault: those before are in a cache.
  const traffic = startTraffic({
    port: stack.port,
    perSecond: PER_SECOND,
    actionId,
    mix: MIX,
    actionMs: ACTION_MS,
    imageCount: 4,
  })
  await sleep(BEFORE_MS)
  const faultAt = traffic.now()
  await stack.happen(fault, service)
  await sleep(AFTER_MS)
  const visits = await traffic.stop()
  await untilWhole(stack.port)
  const faults = submissionFaults(visits, await readTraces(stack.port))
  if (faults.length > 0) throw new Error(`${fault}, ${service}: ${faults.join('; ')}`)
  return { fault, service, ...summarize(visits, { faultAt, service }) }
}

async function readTraces(port: number): Promise<TraceCounts> {
  const { status, text } = await send(`http://127.0.0.1:${port}`, '/api/trace-counts')
  if (status !== 200) throw new Error(`/api/trace-counts: status ${status}`)
  // Written by the handler of the site.
  const { begun, ended } = JSON.parse(text) as Record<keyof TraceCounts, Record<string, number>>
  return { begun: new Map(Object.entries(begun)), ended: new Map(Object.entries(ended)) }
}

/** What the clients of one fault received. */
export function summarize(visits: readonly Visit[], { faultAt, service }: { faultAt: number; service: string }) {
  const lost = visits.filter(({ result }) => result !== 'ok')
  const interrupted = lost.filter((visit) => isInterrupted(visit, { faultAt, service }))
  const failed = lost.filter((visit) => !interrupted.includes(visit))
  const failures: Record<string, number> = {}
  for (const { kind, result } of failed) failures[`${kind} ${result}`] = (failures[`${kind} ${result}`] ?? 0) + 1
  // A streamed page takes its time without a fault.
  const later = visits.filter(({ kind, at, ms }) => kind !== 'streamed' && at + ms >= faultAt)
  const paused = later.filter(({ ms, result }) => result !== 'ok' || ms > PAUSE_MS)
  return {
    sent: visits.length,
    failed: failed.length,
    interrupted: interrupted.length,
    longestMs: Math.round(Math.max(0, ...later.map(({ ms }) => ms))),
    recoveryMs: Math.round(Math.max(0, ...paused.map(({ at, ms }) => at + ms - faultAt))),
    failures,
  }
}

/**
 * What no gateway can repeat: the first bytes of a response had been sent, or a submission ran in the process that ended
 * (a browser sends the submission again with its key).
 */
function isInterrupted({ kind, at, ms, result }: Visit, { faultAt, service }: { faultAt: number; service: string }) {
  const wasRunning = at <= faultAt + ENDING_MS && at + ms >= faultAt
  return wasRunning && (result === 'cut' || (kind === 'action' && service === 'actions'))
}

/** Waits until each service responds several times in a row. */
async function untilWhole(port: number): Promise<void> {
  const base = `http://127.0.0.1:${port}`
  const end = performance.now() + 60_000
  for (let times = 0; times < 5; ) {
    const responses = await Promise.all(
      ['/headers', '/static-time', '/traces'].map((path) => send(base, path).catch(() => undefined)),
    )
    times = responses.every((response) => response?.status === 200) ? times + 1 : 0
    if (performance.now() > end) throw new Error('the stack does not recover within a minute')
    await sleep(200)
  }
}
