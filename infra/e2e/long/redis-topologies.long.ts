// Redis fails over under load, of real processes: behind Sentinels, and in a Cluster of three masters with replicas. A
// master is killed and started again, and its successor is frozen: no submission runs twice, no read of an image waits
// longer than its budget, and everything recovers by itself (A5, C5, I5, O6). Prints the figures.

import { setTimeout as sleep } from 'node:timers/promises'
import { loadSubmissions } from '@portico/actions/testing/load-submissions.ts'
import { loadImages } from '@portico/images/testing/load-images.ts'
import { loadInvalidations } from '@portico/shared/kit/testing/load-invalidations.ts'
import { hasRedis } from '@portico/shared/kit/testing/redis-server.ts'
import {
  askAdmin,
  startRedisCluster,
  startRedisSentinel,
  type Topology,
} from '@portico/shared/kit/testing/redis-topologies.ts'
import { describe, expect, onTestFinished, test } from 'vitest'

const CALM_MS = 4000
/** Longer than a failover, so that the node returns as a replica. */
const DOWN_MS = 10_000

type Store = 'redis-state' | 'redis-cache'

interface Setup {
  name: string
  start: (store: Store) => Promise<Topology>
  keys: Record<Store, string>
}

const SETUPS: Setup[] = [
  {
    name: 'behind three Sentinels',
    start: (store) => startRedisSentinel({ store, replicas: 2 }),
    keys: { 'redis-state': '', 'redis-cache': '' },
  },
  {
    name: 'in a Cluster',
    // A new master needs a replica that confirms submissions.
    start: (store) => startRedisCluster({ store, masters: 3, replicas: store === 'redis-state' ? 2 : 1 }),
    keys: { 'redis-state': 'portico:{submission}s:accounts', 'redis-cache': '{portico-images-1}:purge-counter' },
  },
]

/** Kills the master and starts it again, then freezes the new master and resumes it. */
async function failOver(topology: Topology, key: string): Promise<void> {
  await sleep(CALM_MS)
  const first = await topology.masterOf(key)
  await first.restart(() => sleep(DOWN_MS))
  await sleep(CALM_MS)
  const second = await topology.masterOf(key)
  expect(second.port).not.toBe(first.port)
  second.pause()
  await sleep(DOWN_MS)
  second.resume()
  await sleep(2 * CALM_MS)
}

/** Settles also when the work fails, so that the load ends. */
const faultOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe.skipIf(!hasRedis()).each(SETUPS)('Redis $name', ({ name, start, keys }) => {
  const open = async (store: Store) => {
    const topology = await start(store)
    onTestFinished(() => topology.stop())
    return topology
  }

  test('A5 C5 submissions run once, and invalidations are known, through two failovers', async () => {
    const topology = await open('redis-state')
    const submissions = await loadSubmissions(topology.urlOf('actions'))
    const invalidations = await loadInvalidations(topology.urlOf('actions'), topology.urlOf('renderer'))
    const fault = await faultOf(failOver(topology, keys['redis-state']))
    const [ofSubmissions, ofInvalidations] = [await submissions.stop(), await invalidations.stop()]
    expect(fault).toBeUndefined()
    console.log(name, 'submissions', JSON.stringify(ofSubmissions))
    console.log(name, 'invalidations', JSON.stringify(ofInvalidations))
    expect(ofSubmissions).toMatchObject({ twice: 0, twiceAtOnce: 0 })
    expect(ofSubmissions.done).toBeGreaterThan(1000)
    expect(ofSubmissions.longestGapMs).toBeLessThan(DOWN_MS)
    expect(ofInvalidations).toMatchObject({ confirmed: ['confirmed', 'confirmed'] })
    expect(ofInvalidations.longestGapMs).toBeLessThan(DOWN_MS)
  })

  test('I5 O6 reads of images keep their budget through two failovers', async () => {
    const topology = await open('redis-cache')
    const images = await loadImages(topology.urlOf('images'))
    const fault = await faultOf(failOver(topology, keys['redis-cache']))
    const figures = await images.stop()
    expect(fault).toBeUndefined()
    console.log(name, 'images', JSON.stringify(figures))
    expect(figures.longestGapMs).toBeLessThan(DOWN_MS)
    // The budget is 50 ms of waiting; the machine may be busy.
    expect(figures.readMs.most).toBeLessThan(1000)
  })
})

describe.skipIf(!hasRedis())('the window of a failover', () => {
  /** Replicas are behind for this time. */
  const BEHIND_MS = 400
  /** In which a replica that has lost its connection connects again. */
  const RECONNECT_MS = 2000

  const cases = [
    { confirm: 0, behind: 2, isClosed: false },
    { confirm: 1, behind: 2, isClosed: true },
    // The replica that confirms is lost with the master.
    { confirm: 1, behind: 1, isClosed: false },
    { confirm: 2, behind: 1, isClosed: true },
  ]
  test.each(cases)('A5 $confirm of 2 replicas confirm, $behind are behind when the master dies', async (each) => {
    const { confirm, behind, isClosed } = each
    const topology = await startRedisSentinel({ store: 'redis-state', replicas: 2 })
    onTestFinished(() => topology.stop())
    const submissions = await loadSubmissions(topology.urlOf('actions', `&replicas=${confirm}`))
    await sleep(CALM_MS)
    const master = await topology.masterOf('')
    const replicas = topology.nodes.filter((node) => node !== master)
    const [late, lost] = [replicas.slice(0, behind), replicas.slice(behind)]
    for (const replica of late) replica.pause()
    // Else the system passes on what it has accepted for the replicas.
    await askAdmin(master, (admin) => admin.call('CLIENT', 'KILL', 'TYPE', 'replica'))
    await sleep((lost.length > 0 ? RECONNECT_MS : 0) + BEHIND_MS)
    const dead = [master, ...lost].map((node) => node.restart(() => sleep(2 * CALM_MS)))
    await sleep(200)
    for (const replica of late) replica.resume()
    await Promise.all(dead)
    // Sentinels wait for some seconds before they make a former master a replica.
    await sleep(4 * CALM_MS)
    const figures = await submissions.stop()
    console.log(JSON.stringify({ ...each, ...figures }))
    expect(figures.twice > 0).toBe(!isClosed)
    expect(figures.longestGapMs).toBeLessThan(6 * CALM_MS)
    expect(figures.repeats.unavailable).toBeUndefined()
  })
})
