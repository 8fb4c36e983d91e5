// Deploys of a site with middleware in every order of its services (O12): the new build guards what the old one does not, and
// the reverse. Two replicas of each service, two gateways behind a balancer, and requests of every kind all the time.

import { describe, expect, test } from 'vitest'
import { startBalancer } from '../replicas/balancer.ts'
import type { ServiceName } from '../replicas/fleet.ts'
import { type GuardedStage, setGuardedStage } from './guarded-stage.ts'
import { faultsOfAll, VISITED } from './guarded-traffic.ts'

const REQUESTS = 2000
const REPLICAS = 2
const VISITORS = 4

/** Services of one step are replaced at the same time. */
const ORDERS: Record<string, ServiceName[][]> = {
  'renderer, actions, gateway': [['renderer'], ['actions'], ['gateway']],
  'actions, renderer, gateway': [['actions'], ['renderer'], ['gateway']],
  'all at once': [['renderer', 'actions', 'gateway']],
  // The new gateways wait until the last step has ended.
  'gateway first': [['renderer'], ['actions']],
}

/** As a rolling update does: one new replica starts, one old replica stops, and the next. */
async function replaceReplicas({ fleet, two, start }: GuardedStage, service: ServiceName): Promise<void> {
  const old = fleet.members(service)
  const stopped: Promise<unknown>[] = []
  for (const member of old) {
    await start(service, two)
    member.child.kill('SIGTERM')
    // Container networks drop the name of a task at its SIGTERM; a balancer drops a gateway when its process has ended.
    stopped.push(service === 'gateway' ? fleet.stop(member) : fleet.forget(member))
  }
  await Promise.all(stopped)
}

describe.each(['one', 'two'] as const)('the build %s guards', (guarding) => {
  test.each(Object.keys(ORDERS))(
    `O12 %s: 0 of ${REQUESTS} requests fail, and each response is one that its build may give`,
    async (order) => {
      const stage = await setGuardedStage({
        guarding,
        environment: { DRAIN_DELAY_MS: '1000', DRAIN_DEADLINE_MS: '60000' },
      })
      const { fleet, one, two, start, close } = stage
      const faults: string[] = []
      let sent = 0
      try {
        const kinds: ServiceName[] = ['renderer', 'actions', 'images', 'gateway']
        for (const service of kinds)
          await Promise.all(Array.from({ length: service === 'images' ? 1 : REPLICAS }, () => start(service, one)))
        const balancer = await startBalancer(() => fleet.members('gateway'))
        let isReplaced = false
        const visitor = async () => {
          while (!isReplaced || sent < REQUESTS) {
            faults.push(...(await faultsOfAll(balancer.baseUrl, [one, two]).catch((error: unknown) => [String(error)])))
            sent += VISITED
          }
        }
        const visitors = Promise.all(Array.from({ length: VISITORS }, visitor))
        const gateways = order === 'gateway first' ? replaceReplicas(stage, 'gateway') : undefined
        for (const step of ORDERS[order]!) await Promise.all(step.map((service) => replaceReplicas(stage, service)))
        await gateways
        isReplaced = true
        await visitors
        balancer.close()
      } finally {
        await close()
      }
      console.log(`the build ${guarding} guards, ${order}: ${sent} requests, ${faults.length} faults`)
      expect(sent).toBeGreaterThanOrEqual(REQUESTS)
      expect(faults).toEqual([])
    },
    300_000,
  )
})
