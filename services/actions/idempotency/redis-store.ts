// Submissions in the state Redis, shared by all replicas. Each deed is one script, so of two replicas one wins; times
// are Redis's own, so the replicas' clocks need not agree.

import { type Callback, Redis, type Result } from 'ioredis'
import type { Log } from '../../shared/node/log.ts'
import type { BeginResult, SubmissionStore } from './store.ts'

const KEY_PREFIX = 'portico:submission:'

const NOW = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)`

// ARGV: fingerprint, owner, leaseMs, keepMs, takeOver
const BEGIN = `${NOW}
local row = redis.call('HMGET', KEYS[1], 'fingerprint', 'lease', 'answer')
if row[1] then
  if row[3] then return {'finished', row[1], row[3]} end
  if tonumber(row[2]) > now then return {'running', row[1]} end
  if ARGV[5] ~= '1' or row[1] ~= ARGV[1] then return {'lost', row[1]} end
end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'owner', ARGV[2], 'lease', now + ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[3] + ARGV[4])
return {'started'}`

const IF_OWNED = `
local row = redis.call('HMGET', KEYS[1], 'owner', 'answer')
if row[1] ~= ARGV[1] or row[2] then return 0 end`

// ARGV: owner, leaseMs, keepMs
const RENEW = `${NOW} ${IF_OWNED}
redis.call('HSET', KEYS[1], 'lease', now + ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2] + ARGV[3])
return 1`

// ARGV: owner, answer, keepMs
const FINISH = `${IF_OWNED}
redis.call('HSET', KEYS[1], 'answer', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`

// ARGV: owner
const ABANDON = `${IF_OWNED}
redis.call('DEL', KEYS[1])
return 1`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    porticoBegin(key: string, ...args: (string | number)[]): Result<[BeginResult['kind'], string?, string?], Context>
    porticoRenew(key: string, owner: string, leaseMs: number, keepMs: number, back?: Callback): Result<number, Context>
    porticoFinish(key: string, owner: string, answer: string, keepMs: number): Result<number, Context>
    porticoAbandon(key: string, owner: string): Result<number, Context>
  }
}

export interface StateRedisOptions {
  log: Log
  /** Longest wait for one command; a frozen Redis must count as gone. */
  commandTimeoutMs?: number
}

/** A connection to the state Redis that fails at once while it is away instead of collecting commands. */
export function createStateRedis(url: URL, { log, commandTimeoutMs = 1000 }: StateRedisOptions): Redis {
  const redis = new Redis(url.href, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    commandTimeout: commandTimeoutMs,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(100 * attempt, 1000),
  })
  let isAway = false
  redis.on('ready', () => {
    if (isAway) log.info({ event: 'state-store-back' }, 'the state store answers again')
    isAway = false
  })
  redis.on('error', (error: unknown) => {
    // One line an outage, not one an attempt.
    if (!isAway) log.error({ error }, 'the state store does not answer')
    isAway = true
  })
  return redis
}

/** The store over a connection of its own, which close() ends. */
export function createRedisStore(redis: Redis): SubmissionStore {
  redis.defineCommand('porticoBegin', { numberOfKeys: 1, lua: BEGIN })
  redis.defineCommand('porticoRenew', { numberOfKeys: 1, lua: RENEW })
  redis.defineCommand('porticoFinish', { numberOfKeys: 1, lua: FINISH })
  redis.defineCommand('porticoAbandon', { numberOfKeys: 1, lua: ABANDON })
  const keyOf = (id: string) => `${KEY_PREFIX}${id}`
  return {
    async begin(id, { fingerprint, owner, leaseMs, keepMs, takeOver }) {
      const reply = await redis.porticoBegin(keyOf(id), fingerprint, owner, leaseMs, keepMs, takeOver ? 1 : 0)
      return parseBegin(reply)
    },
    async renew(id, owner, leaseMs, keepMs) {
      return (await redis.porticoRenew(keyOf(id), owner, leaseMs, keepMs)) === 1
    },
    async finish(id, owner, answer, keepMs) {
      return (await redis.porticoFinish(keyOf(id), owner, answer, keepMs)) === 1
    },
    async abandon(id, owner) {
      await redis.porticoAbandon(keyOf(id), owner)
    },
    async ping() {
      await redis.ping()
    },
    async close() {
      redis.disconnect()
    },
  }
}

function parseBegin([kind, fingerprint = '', answer = '']: [BeginResult['kind'], string?, string?]): BeginResult {
  switch (kind) {
    case 'started':
      return { kind }
    case 'finished':
      return { kind, fingerprint, answer }
    case 'running':
    case 'lost':
      return { kind, fingerprint }
  }
}
