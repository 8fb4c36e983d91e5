// Opens all connections to Redis: one table of profiles, in which only what differs is named, and one way to each form of
// address: one server, a master behind Sentinels, a Cluster.

import { Cluster, type ClusterOptions, type Command, Redis, type RedisOptions } from 'ioredis'
import { timeCommands } from '../observe/redis-times.ts'
import { isTracing } from '../observe/tracing.ts'
import { parseRedisUrl, type RedisAddress, type RedisUrl } from './redis-address.ts'

type Options = Omit<RedisOptions, 'replyMapping'>

/** Both have the same commands. In a Cluster the keys of one command, script or transaction must be in one slot. */
export type RedisClient = Redis | Cluster

const retryStrategy = (attempt: number) => Math.min(100 * attempt, 1000)

/** While Redis is unavailable a command fails immediately: it is neither queued nor sent again. */
const COMMON = {
  // The users in docker-compose.yml may not call CLIENT SETINFO.
  disableClientInfo: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2000,
  retryStrategy,
} satisfies Options

/** `isPipelined`: commands of one turn of the event loop are sent together. */
const PROFILES = {
  /** Secrets, and the changes of a gateway: the caller waits for the connection. */
  once: { commandTimeout: 2000, protocol: 2 },
  /** Submissions; a frozen Redis must count as unavailable. */
  state: { commandTimeout: 1000, isPipelined: true },
  /** Files of other builds. */
  files: { commandTimeout: 1000 },
  /**
   * Invalidations and purges. With RESP2 published messages arrive as plain replies. The subscriber subscribes again
   * itself, because it must know from when on it receives messages.
   */
  feed: { commandTimeout: 2000, protocol: 2, autoResubscribe: false },
  /** Small commands of the image cache. A command for which no request waits any more ends after its time limit. */
  cache: { commandTimeout: 2000, protocol: 2, isPipelined: true },
  /** Commands of the image cache that carry images. */
  blobs: { commandTimeout: 2000, protocol: 2 },
} as const satisfies Record<string, Options & { isPipelined?: boolean }>

/** Labels of the time of commands. */
const KINDS: Readonly<Record<keyof typeof PROFILES, string>> = {
  once: 'secrets',
  state: 'submissions',
  files: 'files',
  feed: 'feed',
  cache: 'control',
  blobs: 'images',
}

/** Time limit for the response of one Sentinel, before the next one is tried. */
const SENTINEL_LIMIT_MS = 1000
/** Time after which the connection to a Sentinel that reports failovers is opened again. */
const SENTINEL_RETRY_MS = 30_000
/** Interval at which the slots of a Cluster are read; a node that redirects a command causes another read. */
const SLOTS_REFRESH_MS = 2000
const MOST_REDIRECTIONS = 5

/** Opens a connection as the user in the address, in the background. The caller listens to `error`. */
export function connectRedis(url: RedisUrl, profile: keyof typeof PROFILES, overrides: Options = {}): RedisClient {
  const { isPipelined, ...own }: Options & { isPipelined?: boolean } = PROFILES[profile]
  const address = addressOf(url)
  const options = { ...COMMON, ...loginOf(address), ...own, ...overrides }
  const labels = {
    store: profile === 'cache' || profile === 'blobs' ? 'cache' : 'state',
    kind: KINDS[profile],
  } as const
  if (address.kind === 'cluster') return timeCommands(namingUser(connectCluster(address, options), address), labels)
  // A pipeline belongs to the trace of its first request, which would then contain the commands of other requests.
  const enableAutoPipelining = isPipelined === true && !isTracing()
  const redis = connectServer(address, { enableAutoPipelining, ...options })
  return timeCommands(namingUser(redis, address), labels)
}

/**
 * Opens a connection for subscriptions: every node of a Cluster passes published messages to all others, so one node is
 * enough. When it is lost, the next node of the address is tried.
 */
export function connectSubscriber(url: RedisUrl, connectionName: string): Redis {
  const address = addressOf(url)
  const options = { ...COMMON, ...loginOf(address), ...PROFILES.feed, connectionName }
  if (address.kind !== 'cluster') return namingUser(connectServer(address, options), address)
  const { hosts } = address
  // The replicas of a service begin at different nodes.
  let at = Math.floor(Math.random() * hosts.length)
  const redis = new Redis({
    ...options,
    ...hosts[at],
    retryStrategy(attempt) {
      at = (at + 1) % hosts.length
      Object.assign(redis.options, hosts[at])
      return retryStrategy(attempt)
    },
  })
  return namingUser(redis, address)
}

/** Redis refuses a login in words that name neither the user nor what an operator sets. */
function namingUser<T extends RedisClient>(redis: T, { username, hosts }: RedisAddress): T {
  redis.on('error', (error: Error) => {
    // The error of a server, or of a node of a Cluster; Sentinels have a login of their own.
    if (!/^(?:Failed [\w ]+\. \()?(?:WRONGPASS|NOAUTH)/.test(error.message)) return
    const at = hosts.map(({ host, port }) => `${host}:${port}`).join(',')
    const remedy = 'Set the user in the address, and its password in the file of …_REDIS_PASSWORD_FILE'
    error.message = `user "${username ?? 'default'}" is refused by the Redis of ${at}: ${error.message} ${remedy}`
  })
  return redis
}

/**
 * The beginning of the names of all keys that one script or transaction touches. In a Cluster braces put them into one
 * slot. Elsewhere names have none.
 */
export function keyGroup(redis: RedisClient, name: 'marks' | 'submission'): string {
  return redis.isCluster ? `portico:{${name}}` : `portico:${name}`
}

/** Replicas of Redis that must confirm a submission; 0 at a single server. */
export function replicasOf(url: RedisUrl): number {
  const address = addressOf(url)
  return address.kind === 'single' ? 0 : address.replicas
}

/** Resolves with true when the connection is open, with false after `waitMs`. */
export function isReadyWithin(redis: RedisClient, waitMs: number): Promise<boolean> {
  if (redis.status === 'ready') return Promise.resolve(true)
  return new Promise((resolve) => {
    const onReady = () => {
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(() => {
      redis.off('ready', onReady)
      resolve(false)
    }, waitMs)
    redis.once('ready', onReady)
  })
}

function addressOf({ href }: RedisUrl): RedisAddress {
  const address = parseRedisUrl(href)
  // The settings were read before.
  if ('rule' in address) throw new Error('the address of a Redis has another form')
  return address
}

function loginOf({ username, password, isTls }: RedisAddress): Options {
  return { ...(username && { username }), ...(password && { password }), ...(isTls && { tls: {} }) }
}

function connectServer(address: Exclude<RedisAddress, { kind: 'cluster' }>, options: Options): Redis {
  if (address.kind === 'single') return new Redis({ ...address.hosts[0], db: address.database, ...options })
  const { hosts, name, sentinelUsername, sentinelPassword } = address
  return new LastingRedis({
    sentinels: hosts,
    name,
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
    ...(options.tls && { enableTLSForSentinelMode: true, sentinelTLS: options.tls }),
    sentinelCommandTimeout: SENTINEL_LIMIT_MS,
    sentinelRetryStrategy: retryStrategy,
    sentinelReconnectStrategy: () => SENTINEL_RETRY_MS,
    // A master that is frozen or cut off closes no connection: Sentinels report the new one.
    failoverDetector: true,
    // A master that has become a replica: its connection is of no use any more.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    ...options,
  })
}

/** Pause before a client that ended connects again. */
const ENDED_PAUSE_MS = 200

/** Only its owner ends it: the client of ioredis ends when Sentinels report a new master while it connects. */
class LastingRedis extends Redis {
  #isClosed = false

  constructor(options: Options) {
    super(options)
    this.on('end', () => {
      if (this.#isClosed) return
      setTimeout(() => {
        // A fault is an `error` event as well.
        if (!this.#isClosed && this.status === 'end') this.connect().catch(() => {})
      }, ENDED_PAUSE_MS)
    })
  }

  override disconnect(reconnect = false): void {
    if (!reconnect) this.#isClosed = true
    super.disconnect(reconnect)
  }
}

/** Commands wait for the connection to one node, but not for the Cluster, and none longer than its time limit. */
class BoundedCluster extends Cluster {
  override sendCommand(...[command, stream, node]: Parameters<Cluster['sendCommand']>): unknown {
    if (this.status !== 'ready' && !isOwn(command)) {
      command.reject(new Error('the Cluster is not connected'))
      return command.promise
    }
    const { commandTimeout } = this.options.redisOptions ?? {}
    if (commandTimeout !== undefined) command.setTimeout(commandTimeout)
    return super.sendCommand(command, stream, node)
  }
}

/** The check whether the Cluster is ready. */
function isOwn({ name }: Command): boolean {
  return name === 'cluster'
}

function connectCluster({ hosts }: RedisAddress, options: Options): Cluster {
  const { enableOfflineQueue: _, retryStrategy: clusterRetryStrategy, ...redisOptions } = options
  const timing: ClusterOptions = {
    clusterRetryStrategy,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    maxRedirections: MOST_REDIRECTIONS,
    // A command that may have run is not sent again: the second run of a script would meet the record of the first.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  }
  const cluster = new BoundedCluster(hosts, {
    ...timing,
    redisOptions,
    // Certificates have names; an address that was looked up would not be in them.
    ...(redisOptions.tls && { dnsLookup: (host, back) => back(null, host) }),
  })
  // The reason is that of the last node.
  cluster.on('error', (error: Error & { lastNodeError?: Error | null }) => {
    if (error.lastNodeError) error.message += ` (${error.lastNodeError.message})`
  })
  return cluster
}
