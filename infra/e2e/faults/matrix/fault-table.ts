// The rows of the fault table, and their form in the documentation (docs/clusters.md).

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
  /** The same run of a version in which probes alone decided about replicas, and submissions did not wait for the state store. */
  before: FaultRow[]
}

export const RESULTS_FILE = join(import.meta.dirname, 'results.json')

export function readResults(): FaultResults {
  // Written by matrix-cli.ts.
  return JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as FaultResults
}

const HEAD = '| Fault | Before | Failed | Interrupted | Longest | Recovered |\n|---|---|---|---|---|---|\n'

/** The table of the documentation: containers where they were run, else processes. */
export function faultTable({ rows, before }: FaultResults): string {
  const mode = rows.some((row) => row.mode === 'containers') ? 'containers' : 'processes'
  const shown = rows.filter((row) => row.mode === mode)
  return HEAD + shown.map((row) => rowOf(row, before.find(isSameFault(row)))).join('')
}

const isSameFault = (one: FaultRow) => (other: FaultRow) =>
  other.mode === one.mode &&
  other.fault === one.fault &&
  other.service === one.service &&
  other.replicas === one.replicas

function rowOf(row: FaultRow, before: FaultRow | undefined): string {
  const name = `${row.fault}, ${row.replicas} ${row.service}`
  return `| ${[name, before ? failedOf(before) : '–', failedOf(row), row.interrupted, seconds(row.longestMs), seconds(row.recoveryMs)].join(' | ')} |\n`
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
const failedOf = ({ failed, sent }: FaultRow) => `${failed} of ${sent}`
