// Secrets that no setting gives: created once and stored where all services of the stack can read them, and no other
// user.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withoutArguments } from '../observe/error-fields.ts'
import type { RedisUrl } from '../store/redis-address.ts'
import { createPrivateFolder } from './private-files.ts'

export interface SecretStore {
  stateRedisUrl: RedisUrl | undefined
  dataDir: string
  /** Time limit for a response of the state Redis (default 15 s). */
  waitMs?: number
  /** Rejects instead of creating a missing secret. */
  mustExist?: boolean
}

/**
 * Returns the secret with this name: from the state Redis if one is configured, else from a file in DATA_DIR with mode
 * 0600. The first caller creates the secret; later and concurrent callers receive the same one.
 */
export async function loadSecret(name: 'stack-token' | 'action-key', store: SecretStore): Promise<string> {
  const fresh = randomBytes(32).toString('base64url')
  const { stateRedisUrl, dataDir, waitMs, mustExist = false } = store
  const wanted = { name, fresh, waitMs, mustExist }
  return stateRedisUrl ? fromRedis(stateRedisUrl, wanted) : fromFile(dataDir, wanted)
}

/** Redis may start later than the services. */
const REDIS_LIMIT_MS = 15_000

interface Wanted {
  name: string
  fresh: string
  waitMs: number | undefined
  mustExist: boolean
}

async function fromRedis(url: RedisUrl, { name, fresh, waitMs = REDIS_LIMIT_MS, mustExist }: Wanted): Promise<string> {
  // Loaded on demand: ioredis is the largest package of a service, and a machine without Redis never needs the package.
  const { connectRedis, isReadyWithin } = await import('../store/redis.ts')
  const redis = connectRedis(url, 'once', { commandTimeout: waitMs })
  // Without a listener the error would end the process.
  let connectionFault = ''
  redis.on('error', (error) => (connectionFault = ` (${error.message})`))
  try {
    const key = `portico:secret:${name}`
    if (!(await isReadyWithin(redis, waitMs))) throw new Error('no response in time')
    // Read before written: a full store refuses every write, even one that would change nothing.
    let kept = await redis.get(key)
    if (kept === null && !mustExist) {
      await redis.set(key, fresh, 'NX')
      kept = await redis.get(key)
    }
    if (kept === null) throw new Error(mustExist ? `there is no ${key}` : `the state store did not keep ${key}`)
    return kept
  } catch (cause) {
    const reason = withoutArguments(cause instanceof Error ? cause.message : String(cause))
    // Without the address, which may contain a password.
    throw new Error(
      `${name} cannot be read from the state store ${url.host} (STATE_REDIS_URL): ${reason}${connectionFault}`,
      {
        cause,
      },
    )
  } finally {
    redis.disconnect()
  }
}

async function fromFile(dataDir: string, { name, fresh, mustExist }: Wanted): Promise<string> {
  const file = join(dataDir, `${name}.secret`)
  if (mustExist && !existsSync(file)) throw new Error(`${file} does not exist: no stack has used this DATA_DIR`)
  createPrivateFolder(dataDir)
  try {
    await writeFile(file, fresh, { flag: 'wx', mode: 0o600 })
    return fresh
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // Another service created the file just now and may still be writing.
    for (let attempt = 0; attempt < 20; attempt++) {
      const kept = await readFile(file, 'utf8')
      if (kept.length >= 32) return kept
      await new Promise((done) => setTimeout(done, 25))
    }
    throw new Error(`${file} contains no secret: delete the file and start again`)
  }
}
