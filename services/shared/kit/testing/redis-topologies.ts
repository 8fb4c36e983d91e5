// Starts Redis as operators run it, of real processes and with the users of docker-compose.yml: a Cluster, and a master
// with replicas behind Sentinels.

import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../life/free-port.ts'
import { type RedisUrl, toRedisUrl } from '../store/redis-address.ts'
import { type RedisServer, type StackRedis, type StoreName, started, startStackRedis } from './redis-server.ts'

const SLOTS = 16_384
const START_LIMIT_MS = 60_000
/** The user `admin` needs no password; Redis accepts any. */
const REPLICATION = ['--masteruser', 'admin', '--masterauth', 'any', '--repl-diskless-sync-delay', '0']
const SENTINEL_PASSWORD = 'password-of-sentinels'
const MASTER_NAME = 'portico'

type User = Parameters<StackRedis['urlOf']>[0]

export interface Topology {
  nodes: readonly StackRedis[]
  /** The address with the user of a service, and options behind the question mark. */
  urlOf(user: User, options?: string): RedisUrl
  /** The node that is the master, of this key in a Cluster. */
  masterOf(key: string): Promise<StackRedis>
  stop(): Promise<void>
}

interface ClusterOptions {
  store: StoreName
  masters: number
  /** The number for each master. */
  replicas?: number
  /** Time after which a node that does not respond is replaced. */
  nodeTimeoutMs?: number
}

/** Resolves when all slots are served, and each replica has the data of its master. */
export async function startRedisCluster(options: ClusterOptions): Promise<Topology> {
  const { store, masters, replicas = 0, nodeTimeoutMs = 1000 } = options
  const start = async () => {
    const bus = String(await freePort())
    const address = ['--cluster-port', bus, '--cluster-announce-ip', '127.0.0.1']
    const cluster = ['--cluster-enabled', 'yes', ...address, '--cluster-node-timeout', String(nodeTimeoutMs)]
    const node = await startStackRedis(store, undefined, [...cluster, ...REPLICATION])
    return { node, bus }
  }
  const all = await Promise.all(Array.from({ length: masters * (1 + replicas) }, start))
  const admins = all.map(({ node }) => new Redis(node.url.href, { protocol: 2 }))
  const [first] = admins
  const end = (index: number) => Math.floor((SLOTS * index) / masters)
  for (const [index, admin] of admins.entries()) {
    await admin.cluster('SET-CONFIG-EPOCH', index + 1)
    if (index < masters) await admin.call('CLUSTER', 'ADDSLOTSRANGE', end(index), end(index + 1) - 1)
  }
  for (const { node, bus } of all.slice(1)) await first?.call('CLUSTER', 'MEET', '127.0.0.1', node.port, bus)
  const ids = await Promise.all(admins.map((admin) => admin.cluster('MYID') as Promise<string>))
  for (const [index, admin] of admins.entries()) {
    await until(async () => String(await admin.cluster('NODES')).split('\n').length > all.length)
    if (index >= masters) await until(async () => (await admin.cluster('REPLICATE', ids[index % masters]!)) === 'OK')
  }
  for (const admin of admins) {
    await until(async () => String(await admin.cluster('INFO')).includes('cluster_state:ok'))
    await until(async () => !/master_link_status:down/.test(await admin.info('replication')))
  }
  for (const admin of admins) admin.disconnect()
  const nodes = all.map(({ node }) => node)
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    nodes,
    urlOf: (user, query = '') => toRedisUrl(`redis+cluster://${user}:password-of-${user}@${hosts}${query}`),
    async masterOf(key) {
      for (const node of nodes) {
        const role = await askAdmin(node, async (admin) => {
          const isMaster = /role:master/.test(await admin.info('replication'))
          // Another master redirects.
          return (
            isMaster &&
            (await admin.exists(key).then(
              () => true,
              () => false,
            ))
          )
        })
        if (role) return node
      }
      throw new Error(`no node is the master of ${key}`)
    },
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  }
}

/** Starts a master and its replicas; resolves when the replicas have its data. */
export async function startReplicated(store: StoreName, replicas: number): Promise<[StackRedis, ...StackRedis[]]> {
  const master = await startStackRedis(store, undefined, REPLICATION)
  const followers = Array.from({ length: replicas }, () =>
    startStackRedis(store, undefined, [...REPLICATION, '--replicaof', '127.0.0.1', String(master.port)]),
  )
  const nodes: [StackRedis, ...StackRedis[]] = [master, ...(await Promise.all(followers))]
  await askAdmin(master, (admin) =>
    until(async () => (await admin.info('replication')).match(/state=online/g)?.length === replicas),
  )
  return nodes
}

interface SentinelOptions {
  store: StoreName
  replicas: number
  /** Time after which a master that does not respond is replaced. */
  downAfterMs?: number
}

interface SentinelTopology extends Topology {
  sentinels: readonly RedisServer[]
}

/** Starts three Sentinels; resolves when they know each other and all replicas. */
export async function startRedisSentinel(options: SentinelOptions): Promise<SentinelTopology> {
  const { store, replicas, downAfterMs = 1000 } = options
  const nodes = await startReplicated(store, replicas)
  const [master] = nodes
  const folder = await mkdtemp(join(tmpdir(), 'portico-sentinels-'))
  const sentinels = await Promise.all(
    [0, 1, 2].map((index) => startSentinel(join(folder, `${index}.conf`), master.port, downAfterMs)),
  )
  for (const sentinel of sentinels) {
    await askAdmin(sentinel, (admin) =>
      until(async () => {
        const [facts] = (await admin.call('SENTINEL', 'MASTERS')) as string[][]
        const countOf = (name: string) => Number(facts?.[facts.indexOf(name) + 1])
        return countOf('num-slaves') === replicas && countOf('num-other-sentinels') === 2
      }),
    )
  }
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const login = `sentinelPassword=${SENTINEL_PASSWORD}`
  return {
    nodes,
    sentinels,
    urlOf: (user, query = '') =>
      toRedisUrl(`redis+sentinel://${user}:password-of-${user}@${hosts}/${MASTER_NAME}?${login}${query}`),
    async masterOf() {
      const [sentinel] = sentinels
      const place = (await askAdmin(sentinel!, (admin) =>
        admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME),
      )) as [string, string] | undefined
      const master = nodes.find(({ port }) => port === Number(place?.[1]))
      if (!master) throw new Error('the Sentinels know no master')
      return master
    },
    async stop() {
      await Promise.all([...sentinels, ...nodes].map((each) => each.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startSentinel(file: string, masterPort: number, downAfterMs: number): Promise<RedisServer> {
  const port = await freePort()
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel auth-user ${MASTER_NAME} admin`,
    `sentinel auth-pass ${MASTER_NAME} any`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${downAfterMs}`,
    `sentinel failover-timeout ${MASTER_NAME} 5000`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
  return started(child, new URL(`redis://:${SENTINEL_PASSWORD}@127.0.0.1:${port}`))
}

/** The result of commands at one node as the user with all permissions; undefined if the node does not respond. */
export async function askAdmin<T>({ url }: RedisServer, run: (admin: Redis) => Promise<T>): Promise<T | undefined> {
  const admin = new Redis(url.href, { protocol: 2, retryStrategy: () => null, connectTimeout: 500 })
  admin.on('error', () => {})
  try {
    return await run(admin)
  } catch {
    return undefined
  } finally {
    admin.disconnect()
  }
}

/** Calls again until the result is true; a command that fails counts as false. */
async function until(check: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + START_LIMIT_MS
  while (!(await check().catch(() => false))) {
    if (performance.now() > limit) throw new Error('Redis was not ready in time')
    await sleep(25)
  }
}
