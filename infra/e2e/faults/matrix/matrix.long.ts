// No request fails for any fault of a service with one or two replicas but those of the only gateway, as processes;
// `matrix-cli.ts containers` has more faults.

import { join } from 'node:path'
import { hasRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFolder, type TemporaryFolder } from '../../harness/processes.ts'
import { buildTracesSite } from '../../sites/written/traces.ts'
import type { FaultRow } from './fault-table.ts'
import { runFaults } from './run-faults.ts'

let folder: TemporaryFolder

beforeAll(async () => {
  folder = await makeFolder('faults')
})
afterAll(() => folder.remove())

test.skipIf(!hasRedis())(
  'G2 O5 killing, restarting and freezing any replica behind the gateway fails no request',
  async () => {
    const appDir = join(folder.path, 'site')
    const actionId = (await buildTracesSite(appDir)).get('trace') ?? ''
    const rows: FaultRow[] = []
    await runFaults({ mode: 'processes', appDir, actionId, counts: [1, 2], onRow: (row) => rows.push(row) })
    const behind = rows.filter(({ service }) => service !== 'gateway')
    expect(behind.length).toBe(18)
    expect(behind.filter(({ failed }) => failed > 0)).toEqual([])
    // A restart finishes what runs.
    expect(behind.filter(({ fault, interrupted }) => fault !== 'kill' && interrupted > 0)).toEqual([])
  },
)
