// How far the purges of a CDN are, and which replica sends them (C6): in a SQLite file below DATA_DIR for a single
// machine, or in the state Redis, as a hash with the lease of one replica; times are those of Redis.

import { join } from 'node:path'
import type { RedisClient } from '@portico/shared/kit/store/redis.ts'
import { openPrivateDatabase } from '@portico/shared/kit/store/sqlite.ts'
import type { PurgeProgress } from './plan-purge.ts'

/** Longer than a request to the CDN and the pause before it: each saved step renews the lease. */
export const LEASE_MS = 30_000

/** The part of one replica in the state store. All methods reject while the store is unavailable. */
export interface PurgeProgressStore {
  /** Takes or renews the lease. Undefined: another replica holds it. `progress` is undefined before the first purge. */
  claim(): Promise<{ progress: PurgeProgress | undefined } | undefined>
  /** Saves and renews the lease; false: another replica holds the lease. */
  save(progress: PurgeProgress): Promise<boolean>
  /** Ends the lease, if this replica holds it. */
  release(): Promise<void>
  close(): void
}

const SCHEMA = `
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS purges (
    only INTEGER PRIMARY KEY CHECK (only = 1), owner TEXT NOT NULL, held_until INTEGER NOT NULL,
    version TEXT, epoch TEXT, generation INTEGER
  );
  INSERT OR IGNORE INTO purges VALUES (1, '', 0, NULL, NULL, NULL);`

interface SqlitePurgeProgressDeps {
  dataDir: string
  owner: string
  now: () => number
}

/** The file is opened by the first call: a folder that cannot be written counts as an unavailable store. */
export function createSqlitePurgeProgress({ dataDir, owner, now }: SqlitePurgeProgressDeps): PurgeProgressStore {
  let opened: Statements | undefined
  const statements = () => {
    opened ??= openStatements(join(dataDir, 'cdn.sqlite'))
    return opened
  }
  return {
    async claim() {
      const { claim, read } = statements()
      const at = now()
      if (claim.run(owner, at + LEASE_MS, owner, at).changes === 0) return undefined
      // The schema gives the row these types.
      const row = read.get() as { [Name in keyof PurgeProgress]: PurgeProgress[Name] | null }
      return { progress: row.version === null ? undefined : ({ ...row } as PurgeProgress) }
    },
    async save({ version, epoch, generation }) {
      const { save } = statements()
      return save.run(now() + LEASE_MS, version, epoch, generation, owner).changes === 1
    },
    async release() {
      statements().release.run(owner)
    },
    close: () => opened?.database.close(),
  }
}

type Statements = ReturnType<typeof openStatements>

function openStatements(file: string) {
  const database = openPrivateDatabase(file)
  database.exec(SCHEMA)
  return {
    database,
    claim: database.prepare('UPDATE purges SET owner = ?, held_until = ? WHERE owner = ? OR held_until <= ?'),
    read: database.prepare('SELECT version, epoch, generation FROM purges'),
    save: database.prepare('UPDATE purges SET held_until = ?, version = ?, epoch = ?, generation = ? WHERE owner = ?'),
    release: database.prepare("UPDATE purges SET owner = '', held_until = 0 WHERE owner = ?"),
  }
}

/** Fields: owner, until, version, epoch, generation. */
const KEY = 'portico:cdn'

const HEAD = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'owner', 'until')
local isOwn = held[1] == ARGV[1]
local isFree = not held[1] or tonumber(held[2]) <= now
local lease = string.format('%d', now + tonumber(ARGV[2]))`

// KEYS: the hash. ARGV: owner, milliseconds of the lease, and for SAVE version, epoch, generation.
const CLAIM = `${HEAD}
if not isOwn and not isFree then return false end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', lease)
return redis.call('HMGET', KEYS[1], 'version', 'epoch', 'generation')`

const SAVE = `${HEAD}
if not isOwn then return 0 end
redis.call('HSET', KEYS[1], 'until', lease, 'version', ARGV[3], 'epoch', ARGV[4], 'generation', ARGV[5])
return 1`

const RELEASE = `
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then redis.call('HDEL', KEYS[1], 'owner', 'until') end
return 1`

/** Uses a given connection, which the caller closes. */
export function createRedisPurgeProgress(redis: RedisClient, owner: string): PurgeProgressStore {
  return {
    async claim() {
      const reply = (await redis.eval(CLAIM, 1, KEY, owner, LEASE_MS)) as (string | null)[] | null
      if (!reply) return undefined
      const [version, epoch, generation] = reply
      if (version == null || epoch == null || generation == null) return { progress: undefined }
      return { progress: { version, epoch, generation: Number(generation) } }
    },
    async save({ version, epoch, generation }) {
      return (await redis.eval(SAVE, 1, KEY, owner, LEASE_MS, version, epoch, generation)) === 1
    },
    async release() {
      await redis.eval(RELEASE, 1, KEY, owner)
    },
    close: () => {},
  }
}
