// infra/swarm/sentinel.yml on three engines of this machine: the state survives the death of the node of its master.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cluster, startCluster } from './cluster.ts'
import { expectOnce, killed, RECOVERY_MS } from './expectations.ts'
import { missingForNodes, NODES, type Node, poll } from './nodes.ts'

/** The time after which Sentinels declare a master dead, an election, and the wait of a form for the new master. */
const FAILOVER_MS = 10_000
const missing = missingForNodes()

describe.skipIf(missing)(`Sentinels on Docker Swarm${missing && `: left out, ${missing}`}`, () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({
      files: ['infra/swarm/sentinel.yml', 'infra/e2e/long/swarm/ledger.yml'],
      labels: NODES.map((node) => [node, `portico.redis=${node}`]),
    })
  })
  afterAll(() => cluster?.close())

  /** Runs a command at the Sentinel of a node. */
  const askSentinel = (node: Node, command: string) => {
    const container = '$(docker ps --quiet --filter name=portico_redis-sentinel)'
    return cluster.nodes.shell(node, `docker exec ${container} redis-cli -p 26379 sentinel ${command} portico`)
  }

  /** The node of the master, by the Sentinel of this node. */
  const masterSeenBy = async (node: Node) => {
    const name = /redis-state-(\d)/.exec(await askSentinel(node, 'get-master-addr-by-name'))?.[1]
    return NODES.find((each) => String(each) === name)
  }

  /** A Sentinel learns the replicas from the master, every ten seconds: before that it has none to choose. */
  const untilReplicasAreKnown = () =>
    poll('two replicas at each Sentinel', async () => {
      const lists = await Promise.all(NODES.map((node) => askSentinel(node, 'replicas')))
      return lists.every((list) => list.match(/^role-reported$/gm)?.length === 2 && !list.includes('s_down'))
    })

  test('A5 C5 the node of the master dies: forms are accepted by its successor, and none runs twice', async () => {
    await untilReplicasAreKnown()
    expect(await masterSeenBy(2)).toBe(1)
    const outcome = await killed(cluster, 1)
    expectOnce('death of the node of the master', outcome)
    expect(outcome.reads.lastFailureMs).toBeLessThan(RECOVERY_MS)
    expect(outcome.forms.lastSentMs).toBeLessThan(FAILOVER_MS)
    expect(await masterSeenBy(1)).not.toBe(1)
  })

  test('A5 the former master is a replica that takes over again', async () => {
    await untilReplicasAreKnown()
    const second = await masterSeenBy(1)
    const outcome = await killed(cluster, second ?? 2)
    expectOnce('death of the node of the second master', outcome)
    expect(outcome.forms.lastSentMs).toBeLessThan(FAILOVER_MS)
  })
})
