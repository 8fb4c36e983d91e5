// The tables of a run: one file for each app in dist/conformance-apps, and one summary for all.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../checks/sources.ts'
import type { FirstLoad } from './first-load.ts'
import type { Difference } from './observations.ts'

export interface AppResult {
  name: string
  /** Requests, pages, links and forms that were compared. */
  compared: number
  differences: Difference[]
  /** Why it was not run. */
  leftOut?: string
  refused?: string
  firstLoad?: { next: FirstLoad; portico: FirstLoad }
}

const FOLDER = join(root, 'dist', 'conformance-apps')
const CELL = 160

export async function writeResult(result: AppResult): Promise<void> {
  const rows = result.differences.map(({ where, what, next, portico, reason = 'UNEXPECTED' }) =>
    row([where, what, next, portico, reason]),
  )
  const head = ['| Where | What | Next.js | Portico | Reason |', '|---|---|---|---|---|']
  const text = [`# ${result.name}`, '', summaryRow(result), '', ...head, ...rows, ''].join('\n')
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, `${result.name}.md`), text)
}

export async function writeSummary(results: AppResult[]): Promise<string> {
  const head = ['| App | Compared | Known differences | Unexpected | First load |', '|---|---|---|---|---|']
  const text = [...head, ...results.map(summaryRow), ''].join('\n')
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, 'summary.md'), text)
  return text
}

function summaryRow({ name, compared, differences, leftOut, refused, firstLoad }: AppResult): string {
  if (leftOut ?? refused) return row([name, leftOut ? `left out: ${leftOut}` : `refused: ${refused}`, '', '', ''])
  const known = differences.filter(({ reason }) => reason !== undefined).length
  const ratio = firstLoad ? (['document', 'requested'] as const).map((kind) => compare(kind, firstLoad)).join('; ') : ''
  return row([name, String(compared), String(known), String(differences.length - known), ratio])
}

function compare(kind: keyof FirstLoad, { next, portico }: { next: FirstLoad; portico: FirstLoad }): string {
  const kilobytes = (load: FirstLoad) => (load[kind] / 1000).toFixed(1)
  const ratio = (portico[kind] / next[kind]).toFixed(2)
  return `${kind} ${kilobytes(portico)} KB beside ${kilobytes(next)} KB: ${ratio}`
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.slice(0, CELL).replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`
}
