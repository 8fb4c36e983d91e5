// The shared parts of the gateway's tests on processes: a built site, a state Redis, two replicas of every service, a
// balancer in front of the gateways, and the traces that actions left.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../../harness/processes.ts'
import { buildTracesSite } from '../../sites/written/traces.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { createFleet, type Fleet, type Member, SERVICES } from './fleet.ts'

export interface Stage {
  fleet: Fleet
  balancer: Balancer
  appDir: string
  dataDir: string
  actionIds: Map<string, string>
  /** How often the action of each name began or ended. */
  traces(which: 'begun' | 'ended'): Map<string, number>
  close(): Promise<void>
}

interface StageOptions {
  /** The number for each service; 2 unless given. */
  replicas?: number
  environment?: Record<string, string>
}

/** Sets everything up; resolves when all are ready. */
export async function setStage({ replicas = 2, environment = {} }: StageOptions = {}): Promise<Stage> {
  const folder = await makeFolder('gateway-stage')
  const [appDir, dataDir] = [join(folder.path, 'site'), join(folder.path, 'data')]
  const actionIds = await buildTracesSite(appDir)
  const fleet = await createFleet({ appDir, dataDir, environment })
  for (const service of SERVICES)
    await Promise.all(Array.from({ length: replicas }, () => fleet.start(service))).catch(async (error: unknown) => {
      await fleet.close()
      throw error
    })
  const balancer = await startBalancer(() => fleet.members('gateway'))
  return {
    fleet,
    balancer,
    appDir,
    dataDir,
    actionIds,
    traces(which) {
      const database = new DatabaseSync(join(dataDir, 'fixture.sqlite'), { readOnly: true })
      const rows = database
        .prepare('SELECT text, count(*) AS runs FROM notes WHERE subject = ? GROUP BY text')
        .all(which)
      database.close()
      return new Map(rows.map(({ text, runs }) => [String(text), Number(runs)]))
    },
    async close() {
      balancer.close()
      await fleet.close()
      await folder.remove()
    },
  }
}

/** Waits until the condition holds; rejects with `what` after 30 s. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`30 s have passed, and not yet ${what}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** A figure of a member's `/metrics`, by name and labels as printed; 0 when there is none. */
export async function readMetric({ address, innerPort }: Member, name: string, labels: string): Promise<number> {
  const text = await (await fetch(`http://${address}:${innerPort}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(labels))
  return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0)
}
