// Deploys of a site with middleware on Docker Swarm, in every order of the services (O12): from a build that guards nothing to
// one that guards `/secret`, and back. Requests of every kind go through a balancer that tries the next node where no
// connection is made. Takes a quarter of an hour, and nothing else should run.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultOf, type GuardedBuild, VISITED, visitAll } from '../../faults/deploys/guarded-traffic.ts'
import { type Balancer, balance, connectTo } from '../../faults/replicas/balancer.ts'
import { type RawResponse, send } from '../../harness/http.ts'
import { writeSite } from '../../sites/make-site.ts'
import { guardedSite } from '../../sites/written/guarded.ts'
import { PORT } from './clients.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { missingForNodes } from './nodes.ts'

const REQUESTS = 2000
const VISITORS = 4
/** Between the rounds of a visitor, so that two processors are left for what starts. */
const PAUSE_MS = 200
/** A node that has not accepted a connection by then is passed over. */
const CONNECT_MS = 1000

type Service = 'renderer' | 'actions' | 'gateway'
/** Services of one step are replaced at the same time. */
const ORDERS: Record<string, readonly (readonly Service[])[]> = {
  'renderer, actions, gateway': [['renderer'], ['actions'], ['gateway']],
  'actions, renderer, gateway': [['actions'], ['renderer'], ['gateway']],
  'all at once': [['renderer', 'actions', 'gateway']],
}
const missing = missingForNodes()

describe.skipIf(missing)(`middleware on Docker Swarm${missing && `: left out, ${missing}`}`, () => {
  const one: GuardedBuild = { name: 'one', id: '', isGuarding: false }
  const two: GuardedBuild = { name: 'two', id: '', isGuarding: true }
  let cluster: Cluster
  let balancer: Balancer
  beforeAll(async () => {
    const write = (build: string, isGuarding: boolean) => (dir: string) =>
      writeSite(dir, guardedSite({ build, isGuarding }))
    cluster = await startCluster({
      files: ['infra/e2e/long/swarm/ledger.yml'],
      labels: [[3, 'portico.state=true']],
      builds: [write('one', false), write('two', true)],
      pages: ['/', '/me'],
    })
    balancer = await balanceNodes(cluster.nodes.addresses)
    one.id = String((await send(balancer.baseUrl, '/')).headers['portico-build'])
  })
  afterAll(async () => {
    balancer?.close()
    await cluster?.close()
  })

  const replace = async (service: Service, tag: string) => {
    await cluster.service('update', service, '--no-resolve-image', '--image', `portico-${service}:${tag}`)
    // A service that was rolled back is not an error of the command.
    const inspected = ['--format', '{{.UpdateStatus.State}}', `portico_${service}`]
    const state = await cluster.nodes.docker('service', 'inspect', ...inspected)
    expect(state.trim(), service).toBe('completed')
  }

  /** What was received under requests of every kind while the work ran. */
  const whileVisited = async (work: () => Promise<void>) => {
    const began = performance.now()
    const seen: { path: string; received: RawResponse; at: number }[] = []
    const failed: string[] = []
    let isOver = false
    const seconds = () => Math.round((performance.now() - began) / 100) / 10
    const visitor = async () => {
      while (!isOver || seen.length < REQUESTS) {
        await visitAll(balancer.baseUrl, (path, received) => seen.push({ path, received, at: seconds() })).catch(
          (error: unknown) => failed.push(`${error} after ${seconds()} s`),
        )
        await sleep(PAUSE_MS)
      }
    }
    const visitors = Promise.all(Array.from({ length: VISITORS }, visitor))
    await work().finally(() => {
      isOver = true
    })
    await visitors
    return { seen, failed, seconds: seconds() }
  }

  const deploy = async (order: string, to: GuardedBuild, work: (tag: string) => Promise<void>) => {
    const tag = cluster.images.tags[to === one ? 0 : 1]
    const { seen, failed, seconds } = await whileVisited(() => work(tag))
    to.id = String((await send(balancer.baseUrl, '/')).headers['portico-build'])
    expect(one.id).not.toBe(two.id)
    const faults = seen.flatMap(({ path, received, at }) => {
      const fault = faultOf(path, received, [one, two])
      return fault === undefined ? [] : [`${fault} after ${at} s`]
    })
    console.log(
      `${order}, to ${to.name}: ${seen.length} requests in ${seconds} s, ${failed.length + faults.length} faults`,
    )
    expect([...failed, ...faults]).toEqual([])
    expect(seen.length).toBeGreaterThanOrEqual(REQUESTS - VISITED)
  }

  // Each order there and back: the build that runs is the one that the test before put in place.
  describe.each(Object.keys(ORDERS))('%s', (order) => {
    test.each([two, one])(`O12 to the build $name: 0 of ${REQUESTS} requests fail`, (to) =>
      deploy(order, to, async (tag) => {
        for (const step of ORDERS[order]!) await Promise.all(step.map((service) => replace(service, tag)))
      }),
    )
  })

  describe('gateway first', () => {
    test.each([two, one])(`O12 it waits, says for what, and 0 of ${REQUESTS} requests fail: $name`, async (to) => {
      await deploy('gateway first', to, async (tag) => {
        const gateways = replace('gateway', tag)
        await sleep(5000)
        for (const service of ['renderer', 'actions'] as const) await replace(service, tag)
        await gateways
      })
      // All that run now are of this deploy.
      const lines = await cluster.linesOf('gateway')
      expect(lines).toMatch(/"event":"waiting".*no replica of (?:renderer|actions) of build/)
    })
  })
})

/** Gives each connection to the next node in turn, or to the one after it where no connection is made. */
function balanceNodes(addresses: readonly string[]): Promise<Balancer> {
  let turn = 0
  return balance(async () => {
    const first = turn++
    for (let tried = 0; tried < addresses.length; tried++) {
      const socket = await connectTo(addresses[(first + tried) % addresses.length]!, PORT, CONNECT_MS)
      if (socket) return socket
    }
    return undefined
  })
}
