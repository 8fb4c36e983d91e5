// Stores submissions in the state Redis for all replicas; each method is one script (redis-scripts.ts). A result may
// count only when replicas of Redis have confirmed it: a record that was lost with the master would let the submission
// run again (A5).

import { once } from 'node:events'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { connectRedis, isReadyWithin, keyGroup, type RedisClient, replicasOf } from '@portico/shared/kit/store/redis.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import type { Callback, Result } from 'ioredis'
import {
  ABANDON,
  ACCOUNTS_KEY,
  BEGIN,
  FINISH,
  GROUP,
  RENEW,
  type Reply,
  SWEPT_BY_USAGE,
  USAGE,
} from './redis-scripts.ts'
import {
  type BeginResult,
  BUDGETS,
  type Budgets,
  bodyCharge,
  type DropReason,
  type Kept,
  type RecordPart,
  rowCharge,
  type Seal,
  type StoreEvents,
  type SubmissionStore,
} from './submission-store.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    porticoBeginBuffer(...keysAndValues: (string | number)[]): Result<Reply, Context>
    porticoRenew(key: string, id: string, owner: string, lifeMs: number, back?: Callback): Result<number, Context>
    porticoFinish(...keysAndValues: (string | number | Uint8Array)[]): Result<[1, string] | 0, Context>
    porticoAbandon(key: string, id: string, owner: string): Result<number, Context>
    porticoUsage(accounts: string): Result<[number, number], Context>
  }
}

export interface StateRedisOptions {
  log: Log
  /** Longest wait for one command, if not that of the profile. */
  commandTimeoutMs?: number
}

/** A connection to the state Redis. While Redis is unavailable commands fail immediately and are not queued. */
export function createStateRedis(url: RedisUrl, { log, commandTimeoutMs }: StateRedisOptions): RedisClient {
  const redis = connectRedis(url, 'state', commandTimeoutMs === undefined ? {} : { commandTimeout: commandTimeoutMs })
  let isUnavailable = false
  redis.on('ready', () => {
    if (isUnavailable) log.info({ event: 'state-store-back' }, 'state store available again')
    isUnavailable = false
  })
  redis.on('error', (error: unknown) => {
    // One line per outage, not one per attempt.
    if (!isUnavailable) log.error({ error }, 'state store does not respond')
    isUnavailable = true
  })
  return redis
}

export interface RedisStoreDeps {
  seal: Seal
  events: StoreEvents
  budgets?: Budgets
  /** Runs BEGIN where replicas of Redis must confirm a submission before its action runs. */
  confirmed?: ConfirmedScript | undefined
}

/** Creates the store on a connection that only the store uses; close() ends the connection. */
export function createRedisStore(
  redis: RedisClient,
  { seal, events, budgets = BUDGETS, confirmed }: RedisStoreDeps,
): SubmissionStore {
  const group = keyGroup(redis, 'submission')
  const inGroup = (text: string) => text.replaceAll(GROUP, group)
  const begin = inGroup(BEGIN)
  redis.defineCommand('porticoBegin', { lua: begin })
  redis.defineCommand('porticoRenew', { numberOfKeys: 1, lua: inGroup(RENEW) })
  redis.defineCommand('porticoFinish', { numberOfKeys: 2, lua: inGroup(FINISH) })
  redis.defineCommand('porticoAbandon', { numberOfKeys: 1, lua: inGroup(ABANDON) })
  redis.defineCommand('porticoUsage', { numberOfKeys: 1, lua: inGroup(USAGE) })
  const recordKey = (id: string) => `${group}:${id}`
  const bodyKey = (id: string) => `${group}-body:${id}`
  const limits = [budgets.client, budgets.address, budgets.total]
  const reportDropped = (list: string): void => {
    if (list === '') return
    // The scripts return "part reason".
    for (const pair of list.split(',')) events.onDropped(...(pair.split(' ') as [RecordPart, DropReason]))
  }
  return {
    async begin(id, { fingerprint, owner, holder, leaseMs, keepMs, takeOver, otherIds = [] }) {
      const running = `${fingerprint} ${owner} ${keepMs}`
      const ids = [id, ...otherIds]
      const keys = ids.flatMap((each) => [recordKey(each), bodyKey(each)])
      const values = [
        ...[keys.length, ...keys, id, fingerprint, running, leaseMs + keepMs, takeOver ? 1 : 0],
        ...[holder.client, holder.address, rowCharge(undefined), ...limits],
      ]
      const reply = await (confirmed ? confirmed.run(begin, values) : redis.porticoBeginBuffer(...values))
      const kind = String(reply[0])
      if (kind !== 'started' && kind !== 'full') {
        const found = ids[(Number(reply[4] ?? 1) - 1) / 2] ?? id
        return parseExisting(kind, reply, (sealed) => seal.open(found, sealed))
      }
      reportDropped(String(reply[1]))
      if (kind === 'started') events.onKept('row')
      return { kind }
    },
    mayRecover,
    async renew(id, owner, leaseMs, keepMs) {
      return (await redis.porticoRenew(recordKey(id), id, owner, leaseMs + keepMs)) === 1
    },
    async finish(id, owner, { status, location = '', body }, { keepMs, bodyKeepMs }) {
      const sealed = body === undefined ? undefined : seal.close(id, body)
      const reply = await redis.porticoFinish(
        ...[recordKey(id), bodyKey(id), id, owner, `done ${status} ${location}`, keepMs],
        ...[rowCharge(location), sealed ? Buffer.from(sealed) : '', Math.min(bodyKeepMs, keepMs)],
        ...[sealed ? bodyCharge(sealed) : 0, ...limits],
      )
      if (reply === 0) return false
      if (body !== undefined) events.onKept('body')
      reportDropped(reply[1])
      return true
    },
    async abandon(id, owner) {
      await redis.porticoAbandon(recordKey(id), id, owner)
    },
    async usage() {
      for (;;) {
        const [swept, bytes] = await redis.porticoUsage(inGroup(ACCOUNTS_KEY))
        if (swept < SWEPT_BY_USAGE) return bytes
      }
    },
    async ping() {
      // After the start the client is still connecting. If the connection fails or takes long, the command rejects.
      if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(2000) }).catch(() => {})
      await redis.ping()
      await confirmed?.ping()
    },
    async close() {
      confirmed?.close()
      redis.disconnect()
    },
  }
}

/** Replies of a server that starts, was replaced as master, or waits for other nodes. */
const PASSING_REPLY = /^(ASK|BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MOVED|NOREPLICAS|READONLY|TRYAGAIN|UNBLOCKED)\b/

/** A lost connection, a missing reply or confirmation; of the errors that Redis sends those that pass by themselves. */
function mayRecover(error: unknown): boolean {
  return error instanceof Error && (error.name !== 'ReplyError' || PASSING_REPLY.test(error.message))
}

function parseExisting(kind: string, reply: Reply, open: (sealed: Buffer) => string | undefined): BeginResult {
  const fingerprint = String(reply[1])
  if (kind === 'running' || kind === 'lost') return { kind, fingerprint }
  // The script returns bytes there, or nothing.
  const sealed = reply[3] as Buffer | null | undefined
  return { kind: 'finished', fingerprint, kept: parseKept(String(reply[2]), sealed, open) }
}

function parseKept(
  text: string,
  sealed: Buffer | null | undefined,
  open: (sealed: Buffer) => string | undefined,
): Kept {
  const [, status, location] = /^done (\d+) (.*)$/s.exec(text) ?? []
  if (status === undefined) throw new Error('a record of a submission cannot be read')
  const body = sealed ? open(sealed) : undefined
  return { status: Number(status), ...(location && { location }), ...(body !== undefined && { body }) }
}

/** Longest wait for the replicas; shorter than the time limit of a command. */
const CONFIRM_LIMIT_MS = 500
const CONNECT_LIMIT_MS = 2000
/** Longest wait for earlier batches. */
const QUEUE_LIMIT_MS = 1000
const MOST_IN_BATCH = 200

export interface ConfirmedScript {
  /** `values` begin with the number of keys. Rejects when the script failed, or its result was not confirmed. */
  run(lua: string, values: readonly (string | number)[]): Promise<Reply>
  /** Rejects when the connection cannot be used now. */
  ping(): Promise<void>
  close(): void
}

/** Undefined at a server without replicas. The caller reports an unavailable store. */
export function openConfirmedScript(url: RedisUrl): ConfirmedScript | undefined {
  const replicas = replicasOf(url)
  if (replicas === 0) return undefined
  // WAIT holds its connection: other commands have their own.
  const redis = connectRedis(url, 'state', { connectionName: 'portico-actions-begin' })
  redis.on('error', () => {})
  return createConfirmedScript(redis, replicas)
}

interface Waiting {
  lua: string
  values: readonly (string | number)[]
  since: number
  resolve: (reply: Reply) => void
  reject: (error: unknown) => void
}

/** On a connection that nothing else uses; close() ends the connection. */
export function createConfirmedScript(redis: RedisClient, replicas: number): ConfirmedScript {
  let waiting: Waiting[] = []
  let isRunning = false
  const next = async (): Promise<void> => {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_IN_BATCH)
      waiting = waiting.slice(MOST_IN_BATCH)
      const late = batch.filter(({ since }) => performance.now() - since > QUEUE_LIMIT_MS)
      for (const { reject } of late) reject(new Error('the state store was busy with earlier submissions'))
      const current = batch.filter((each) => !late.includes(each))
      await runBatch(current).catch((error: unknown) => {
        for (const { reject } of current) reject(error)
      })
    }
    isRunning = false
  }
  const runBatch = async (batch: readonly Waiting[], isRepeated = false): Promise<void> => {
    if (batch.length === 0) return
    if (redis.status !== 'ready') throw new Error('the state store is not connected')
    // One pipeline is one connection to one node: WAIT counts what was written before it on the same connection. Scripts
    // are sent as text: one that Redis does not know would run again, behind WAIT.
    const pipeline = redis.pipeline()
    for (const { lua, values } of batch) pipeline.callBuffer('eval', lua, ...values)
    const results = (await pipeline.wait(replicas, CONFIRM_LIMIT_MS).exec()) ?? []
    const [fault, confirmed] = results[batch.length] ?? []
    const moved: Waiting[] = []
    for (const [at, each] of batch.entries()) {
      const { resolve, reject } = each
      const [error, reply] = results[at] ?? []
      if (!isRepeated && error?.message.startsWith('MOVED')) moved.push(each)
      else if (error ?? fault) reject(error ?? fault)
      else if (String((reply as Reply)[0]) !== 'started' || Number(confirmed) >= replicas) resolve(reply as Reply)
      else reject(new Error(`${confirmed} of ${replicas} replicas of the state store confirmed the submission`))
    }
    if (moved.length === 0) return
    // After a failover in a Cluster: a single command follows the redirection, and the client reads the slots again.
    await redis.exists(String(moved[0]?.values[1]))
    await runBatch(moved, true)
  }
  return {
    run: (lua, values) =>
      new Promise((resolve, reject) => {
        waiting.push({ lua, values, since: performance.now(), resolve, reject })
        // The submissions of one turn of the event loop are one batch.
        if (!isRunning) {
          isRunning = true
          setImmediate(() => void next())
        }
      }),
    async ping() {
      // After the start the client is still connecting.
      await isReadyWithin(redis, CONNECT_LIMIT_MS)
      await redis.ping()
    },
    close: () => redis.disconnect(),
  }
}
