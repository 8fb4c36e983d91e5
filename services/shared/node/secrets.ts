// Secrets that nobody configured: made once and kept where all services of the stack, and nobody else, can read them.

import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withoutArguments } from './error-fields.ts'
import { createPrivateFolder } from './private-files.ts'

export interface SecretStore {
  stateRedisUrl: URL | undefined
  dataDir: string
  /** How long the state Redis may take to answer (default 15 s: it may start a moment later than the services). */
  waitMs?: number
}

const STORE_WAIT_MS = 15_000

/**
 * Returns the secret of that name: from the state Redis where there is one, else from a file in DATA_DIR with mode
 * 0600. The first caller makes it; later and concurrent callers get the same one.
 */
export async function loadSecret(name: 'stack-token' | 'action-key', store: SecretStore): Promise<string> {
  const fresh = randomBytes(32).toString('base64url')
  const { stateRedisUrl, dataDir, waitMs = STORE_WAIT_MS } = store
  return stateRedisUrl ? fromRedis(stateRedisUrl, { name, fresh, waitMs }) : fromFile(dataDir, name, fresh)
}

interface Wanted {
  name: string
  fresh: string
  waitMs: number
}

async function fromRedis(url: URL, { name, fresh, waitMs }: Wanted): Promise<string> {
  // Loaded where it is used: it is the largest package of a service, and a machine without Redis never needs it.
  const { connectRedis } = await import('./redis.ts')
  const redis = connectRedis(url, { maxRetriesPerRequest: null, connectTimeout: 2000, commandTimeout: waitMs })
  // A command that waits for a connection tells only that it was late; without a listener the fault would end the process.
  let connectionFault = ''
  redis.on('error', (error) => (connectionFault = ` (${error.message})`))
  try {
    const key = `portico:secret:${name}`
    // Asked for before it is made: a store that is full refuses every write, also one that would change nothing.
    let kept = await redis.get(key)
    if (kept === null) {
      await redis.set(key, fresh, 'NX')
      kept = await redis.get(key)
    }
    if (kept === null) throw new Error(`the state store did not keep ${key}`)
    return kept
  } catch (cause) {
    const reason = withoutArguments(cause instanceof Error ? cause.message : String(cause))
    // Without the address itself, which may hold a password.
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

async function fromFile(dataDir: string, name: string, fresh: string): Promise<string> {
  const file = join(dataDir, `${name}.secret`)
  createPrivateFolder(dataDir)
  try {
    await writeFile(file, fresh, { flag: 'wx', mode: 0o600 })
    return fresh
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // Another service made it a moment ago and may still be writing.
    for (let attempt = 0; attempt < 20; attempt++) {
      const kept = await readFile(file, 'utf8')
      if (kept.length >= 32) return kept
      await new Promise((done) => setTimeout(done, 25))
    }
    throw new Error(`${file} holds no secret: delete it and start again`)
  }
}
