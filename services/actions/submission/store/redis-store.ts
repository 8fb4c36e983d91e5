// Stores submissions in the state Redis for all replicas; each method is one script (redis-scripts.ts).

import { once } from 'node:events'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { connectRedis } from '@portico/shared/kit/store/redis.ts'
import type { Callback, Redis, Result } from 'ioredis'

import { bodyCharge, rowCharge } from './charges.ts'
import { ABANDON, BEGIN, BODY_PREFIX, FINISH, RECORD_PREFIX, RENEW, SWEPT_BY_USAGE, USAGE } from './redis-scripts.ts'
import type { Seal } from './seal.ts'
import {
  type BeginResult,
  BUDGETS,
  type Budgets,
  type DropReason,
  type Kept,
  type RecordPart,
  type StoreEvents,
  type SubmissionStore,
} from './store.ts'

type Reply = (Buffer | number | null | undefined)[]

declare module 'ioredis' {
  interface RedisCommander<Context> {
    porticoBeginBuffer(...keysAndValues: (string | number)[]): Result<Reply, Context>
    porticoRenew(key: string, id: string, owner: string, lifeMs: number, back?: Callback): Result<number, Context>
    porticoFinish(...keysAndValues: (string | number | Uint8Array)[]): Result<[1, string] | 0, Context>
    porticoAbandon(key: string, id: string, owner: string): Result<number, Context>
    porticoUsage(): Result<[number, number], Context>
  }
}

export interface StateRedisOptions {
  log: Log
  /** Longest wait for one command, if not that of the profile. */
  commandTimeoutMs?: number
}

/** A connection to the state Redis. While Redis is unavailable commands fail immediately and are not queued. */
export function createStateRedis(url: URL, { log, commandTimeoutMs }: StateRedisOptions): Redis {
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
}

/** Creates the store on a connection that only the store uses; close() ends the connection. */
export function createRedisStore(redis: Redis, { seal, events, budgets = BUDGETS }: RedisStoreDeps): SubmissionStore {
  redis.defineCommand('porticoBegin', { lua: BEGIN })
  redis.defineCommand('porticoRenew', { numberOfKeys: 1, lua: RENEW })
  redis.defineCommand('porticoFinish', { numberOfKeys: 2, lua: FINISH })
  redis.defineCommand('porticoAbandon', { numberOfKeys: 1, lua: ABANDON })
  redis.defineCommand('porticoUsage', { numberOfKeys: 0, lua: USAGE })
  const recordKey = (id: string) => RECORD_PREFIX + id
  const bodyKey = (id: string) => BODY_PREFIX + id
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
      const reply = await redis.porticoBeginBuffer(
        ...[keys.length, ...keys, id, fingerprint, running, leaseMs + keepMs, takeOver ? 1 : 0],
        ...[holder.client, holder.address, rowCharge(undefined), ...limits],
      )
      const kind = String(reply[0])
      if (kind !== 'started' && kind !== 'full') {
        const found = ids[(Number(reply[4] ?? 1) - 1) / 2] ?? id
        return parseExisting(kind, reply, (sealed) => seal.open(found, sealed))
      }
      reportDropped(String(reply[1]))
      if (kind === 'started') events.onKept('row')
      return { kind }
    },
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
        const [swept, bytes] = await redis.porticoUsage()
        if (swept < SWEPT_BY_USAGE) return bytes
      }
    },
    async ping() {
      // After the start the client is still connecting. If the connection fails or takes long, the command rejects.
      if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(2000) }).catch(() => {})
      await redis.ping()
    },
    async close() {
      redis.disconnect()
    },
  }
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
  // Version 0.1 stored the response itself, as JSON.
  if (status === undefined) return { status: 200, body: text }
  const body = sealed ? open(sealed) : undefined
  return { status: Number(status), ...(location && { location }), ...(body !== undefined && { body }) }
}
