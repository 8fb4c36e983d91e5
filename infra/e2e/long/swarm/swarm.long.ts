// The stack as Docker Swarm runs it, on three engines of this machine: requested and scaled; then updated, drained and
// killed node by node under clients that try the next node where no connection is made. Prints the figures of
// docs/swarm.md. Needs the script of nodes.ts; takes a quarter of an hour, and nothing else should run.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postForm, send } from '../../harness/http.ts'
import { FIXTURE } from '../../sites/sites.ts'
import { PORT } from './clients.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { expectOnce, killed, RECOVERY_MS } from './expectations.ts'
import { during } from './faults.ts'
import { missingForNodes, type Node, nameOf, poll } from './nodes.ts'
import { SERVICES } from './site.ts'

/** The node of the volumes. */
const STATE: Node = 3
const REPLICATED = ['renderer', 'images', 'actions'] as const
/** A node that is away for so long is declared dead. */
const AWAY_MS = 30_000
const missing = missingForNodes()

describe.skipIf(missing)(`on Docker Swarm with three nodes${missing && `: left out, ${missing}`}`, () => {
  let cluster: Cluster
  const addressOf = (node: Node) => `http://${cluster.nodes.addresses[node - 1]}:${PORT}`

  beforeAll(async () => {
    cluster = await startCluster({
      files: ['infra/e2e/long/swarm/ledger.yml'],
      labels: [[STATE, 'portico.state=true']],
    })
  })
  afterAll(() => cluster?.close())

  /** One running replica of each service on each of the nodes, and none elsewhere. */
  const areAllOn = async (nodes: readonly Node[]) => {
    const places = await Promise.all(SERVICES.map((service) => cluster.placesOf(service)))
    return places.every((each) => each.join() === nodes.join())
  }

  test('O3 every node serves pages, images and forms', async () => {
    for (const node of [1, 2, 3] as const) {
      expect((await send(addressOf(node), FIXTURE.detail.path)).text).toContain(FIXTURE.detail.text)
      const headers = { accept: 'image/webp' }
      const path = imageUrl('', '/pictures/sample.jpg', 640, 75)
      await poll('an image', async () => {
        const response = await send(addressOf(node), path, { headers })
        return response.headers['content-type'] === 'image/webp'
      })
      const name = randomBytes(8).toString('hex')
      const posted = await postForm({ baseUrl: addressOf(node), path: '/records', fields: { name } })
      expect(posted.status, posted.text).toBeLessThan(400)
    }
  })

  test('O3 images are scaled separately, and the gateways find every replica', async () => {
    await cluster.service('update', 'images', '--replicas', '3')
    expect(await cluster.placesOf('images')).toHaveLength(3)
    await poll('three replicas of images', async () => (await cluster.readyReplicas('images')).size >= 3)
    await cluster.service('update', 'images', '--replicas', '2')
  })

  test.each(SERVICES)('O5 every replica of %s is updated to another build, and no request fails', async (service) => {
    const image = `portico-${service}:${cluster.images.tags[1]}`
    const outcome = await during(cluster, async (whole) => {
      await cluster.service('update', service, '--no-resolve-image', '--image', image)
      whole()
    })
    expectOnce(`update of ${service}`, outcome)
    expect([outcome.reads.failures, outcome.forms.failures]).toEqual([{}, {}])
  })

  test('O5 a node is drained, and no request fails', async () => {
    const outcome = await during(cluster, async (whole) => {
      await cluster.nodes.docker('node', 'update', '--availability', 'drain', nameOf(1))
      await poll('all replicas on the other nodes', () => areAllOn([2, 3]))
      whole()
      await cluster.nodes.docker('node', 'update', '--availability', 'active', nameOf(1))
      await cluster.untilWhole()
    })
    expectOnce('drain', outcome)
    expect([outcome.reads.failures, outcome.forms.failures]).toEqual([{}, {}])
    for (const service of REPLICATED) expect(await cluster.placesOf(service)).toEqual([2, 3])
  })

  test('G2 A5 a node with half of the replicas dies, and no later request fails', async () => {
    for (const service of REPLICATED) expect(await cluster.placesOf(service)).toContain(2)
    const outcome = await killed(cluster, 2)
    expectOnce('death of a node', outcome)
    expect(outcome.reads.lastFailureMs).toBeLessThan(RECOVERY_MS)
    expect(outcome.forms.lastSentMs).toBeLessThan(RECOVERY_MS)
  })

  test('G2 A5 the leader dies, and no later request fails', async () => {
    // Not the node of the volumes, which is another fault: a manager that is demoted leads no longer.
    if ((await cluster.nodes.leader()) === STATE) {
      await cluster.nodes.docker('node', 'demote', nameOf(STATE))
      await cluster.nodes.docker('node', 'promote', nameOf(STATE))
      await poll('three managers', () => cluster.nodes.areManagers())
    }
    const leader = await cluster.nodes.leader()
    expect(leader).not.toBe(STATE)
    const outcome = await killed(cluster, leader)
    expectOnce('death of the leader', outcome)
    expect(outcome.reads.lastFailureMs).toBeLessThan(RECOVERY_MS)
    expect(outcome.forms.lastSentMs).toBeLessThan(RECOVERY_MS)
  })

  test('A9 C5 without the node of the volumes pages are served and forms wait; its return brings the state back', async () => {
    const outcome = await during(cluster, async (whole) => {
      await cluster.nodes.kill(STATE)
      await sleep(AWAY_MS)
      await cluster.nodes.start(STATE)
      await cluster.untilWhole()
      whole()
    })
    // Submissions from before are sent again after it: what has run is known from the volume.
    expectOnce('death of the node of the volumes', outcome)
    expect(outcome.forgotten).toEqual({})
    expect(outcome.reads.lastFailureMs).toBeLessThan(RECOVERY_MS)
    expect(outcome.forms.lastSentMs).toBeLessThan(outcome.wholeMs)
    expect(outcome.forms.failed).toBeGreaterThan(0)
  })
})
