// Submissions in the state Redis, shared by all replicas. Each deed is one command or one script, so of two replicas one
// wins; times are Redis's own, so the replicas' clocks need not agree.
//
// A record is one string: "fingerprint owner keepMs" while it runs, with " answer" behind once it is finished. A running
// one expires keepMs after its lease, so what is left of its life tells whether the lease still holds.

import type { Callback, Redis, Result } from 'ioredis'
import type { Log } from '../../shared/node/log.ts'
import { connectRedis } from '../../shared/node/redis.ts'
import { isTracing } from '../../shared/node/tracing.ts'
import type { BeginResult, SubmissionStore } from './store.ts'

const KEY_PREFIX = 'portico:submission:'

const READ = `local row = redis.call('GET', KEYS[1])
local fingerprint, owner, keep, answer = string.match(row or '', '^(%S+) (%S+) (%d+)(.*)$')`

// What to do when there is a record already. ARGV: fingerprint, the running record, lifetime, takeOver
const MEET = `${READ}
if not fingerprint then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return {'started'}
end
if answer ~= '' then return {'finished', fingerprint, string.sub(answer, 2)} end
if redis.call('PTTL', KEYS[1]) > tonumber(keep) then return {'running', fingerprint} end
if ARGV[4] ~= '1' or fingerprint ~= ARGV[1] then return {'lost', fingerprint} end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return {'started'}`

const IF_OWNED = `${READ}
if owner ~= ARGV[1] or answer ~= '' then return 0 end`

// ARGV: owner, lifetime
const RENEW = `${IF_OWNED}
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`

// ARGV: owner, answer, keepMs
const FINISH = `${IF_OWNED}
redis.call('SET', KEYS[1], row .. ' ' .. ARGV[2], 'PX', ARGV[3])
return 1`

// ARGV: owner
const ABANDON = `${IF_OWNED}
redis.call('DEL', KEYS[1])
return 1`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    porticoMeet(key: string, ...args: (string | number)[]): Result<[BeginResult['kind'], string?, string?], Context>
    porticoRenew(key: string, owner: string, lifeMs: number, back?: Callback): Result<number, Context>
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
  const redis = connectRedis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    commandTimeout: commandTimeoutMs,
    // A pipeline runs for the request that began it: the commands of others would be told in its trace.
    enableAutoPipelining: !isTracing(),
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
  redis.defineCommand('porticoMeet', { numberOfKeys: 1, lua: MEET })
  redis.defineCommand('porticoRenew', { numberOfKeys: 1, lua: RENEW })
  redis.defineCommand('porticoFinish', { numberOfKeys: 1, lua: FINISH })
  redis.defineCommand('porticoAbandon', { numberOfKeys: 1, lua: ABANDON })
  const keyOf = (id: string) => `${KEY_PREFIX}${id}`
  return {
    async begin(id, { fingerprint, owner, leaseMs, keepMs, takeOver }) {
      const running = `${fingerprint} ${owner} ${keepMs}`
      const lifeMs = leaseMs + keepMs
      // Nearly every submission is the first of its key: no script is needed to tell.
      if ((await redis.set(keyOf(id), running, 'PX', lifeMs, 'NX')) === 'OK') return { kind: 'started' }
      return parseBegin(await redis.porticoMeet(keyOf(id), fingerprint, running, lifeMs, takeOver ? 1 : 0))
    },
    async renew(id, owner, leaseMs, keepMs) {
      return (await redis.porticoRenew(keyOf(id), owner, leaseMs + keepMs)) === 1
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
