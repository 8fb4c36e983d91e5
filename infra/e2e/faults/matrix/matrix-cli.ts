// Makes the fault table: `npx node infra/e2e/faults/matrix/matrix-cli.ts processes`, or `containers` with a Docker Engine.
// Writes results.json, and with write-tables-cli.ts the table in docs/faults.md. Fails if a submission was lost or ran twice.
// Takes eight minutes; nothing else should run.

import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { makeFolder } from '../../harness/processes.ts'
import { buildTracesSite } from '../../sites/written/traces.ts'
import { type FaultRow, RESULTS_FILE, readResults } from './fault-table.ts'
import { PER_SECOND, runFaults } from './run-faults.ts'

const mode = process.argv[2]
if (mode !== 'processes' && mode !== 'containers') throw new Error(`mode "${mode}": must be processes or containers`)

const folder = await makeFolder('faults')
const appDir = join(folder.path, 'site')
const rows: FaultRow[] = []
try {
  const actionId = (await buildTracesSite(appDir)).get('trace') ?? ''
  const onRow = (row: FaultRow) => {
    rows.push(row)
    console.log(JSON.stringify(row))
  }
  await runFaults({ mode, appDir, actionId, counts: [1, 2], onRow })
} finally {
  await folder.remove()
}
const known = readResults().rows
const results = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${availableParallelism()} cores`,
  perSecond: PER_SECOND,
  rows: [...known.filter((row) => row.mode !== mode), ...rows],
}
writeFileSync(RESULTS_FILE, `${JSON.stringify(results, null, 2)}\n`)
console.log(`${RESULTS_FILE}: written`)
