// The rows of the fault table, and their form in the documentation (docs/faults.md).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault, Mode } from './stacks.ts'

export interface FaultRow {
  mode: Mode
  fault: Fault
  service: string
  replicas: number
  sent: number
  /** Requests without a whole response of the right kind, by kind and result in `failures`. */
  failed: number
  /** Responses that had begun, and submissions that ran, in the process that ended. */
  interrupted: number
  /** The longest request. */
  longestMs: number
  /** From the fault to the end of the last request that failed or waited. */
  recoveryMs: number
  failures: Record<string, number>
}

/** What one run of the script measured. */
interface FaultResults {
  /** As in `2026-11-22`. */
  date: string
  machine: string
  perSecond: number
  rows: FaultRow[]
}

export const RESULTS_FILE = join(import.meta.dirname, 'results.json')

export function readResults(): FaultResults {
  // Written by matrix-cli.ts.
  return JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as FaultResults
}

const HEAD = '| Fault | Failed | Interrupted | Longest | Recovered |\n|---|---|---|---|---|\n'

/** The table of the documentation: containers where they were run, else processes. */
export function faultTable({ rows }: FaultResults): string {
  const mode = rows.some((row) => row.mode === 'containers') ? 'containers' : 'processes'
  const shown = rows.filter((row) => row.mode === mode)
  return HEAD + shown.map(rowOf).join('')
}

function rowOf({ fault, replicas, service, failed, sent, interrupted, longestMs, recoveryMs }: FaultRow): string {
  const cells = [
    `${fault}, ${replicas} ${service}`,
    `${failed} of ${sent}`,
    interrupted,
    seconds(longestMs),
    seconds(recoveryMs),
  ]
  return `| ${cells.join(' | ')} |\n`
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
