// Opens the secrets that sign inside a stack: those of the settings, else those that the services made and keep where all
// services of the stack can read them, and no other user.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPrivateFolder } from '../config/private-files.ts'
import type { Log } from '../observe/log.ts'
import type { RedisUrl } from '../store/redis-address.ts'
import type { SecretName } from './follow-secrets.ts'
import { createFixedKeyring, createUnknownLog, type Keyring } from './keyring.ts'

export interface SecretStore {
  stateRedisUrl: RedisUrl | undefined
  dataDir: string
}

export interface SecretSettings extends SecretStore {
  /** STACK_TOKEN; nothing is stored for a setting. */
  stackToken: string | undefined
  /** ACTION_KEYS, the first one signs; empty without the setting. */
  actionKeys: readonly string[]
}

interface OpenedSecrets {
  /** The token of control calls between services. */
  token: Keyring
  /** The keys of forms, cookies and kept responses. */
  keys: Keyring
  close(): void
}

/** Redis may start later than the services. */
const REDIS_LIMIT_MS = 15_000

/**
 * Opens both secrets of a service that runs code of the site. Rejects if one is not known after `waitMs` because of a fault
 * of the state store. Where the state store has none, the first service makes it 3 s later (O10).
 */
export async function openSecrets(
  { stackToken, actionKeys, stateRedisUrl, dataDir }: SecretSettings,
  log: Log,
  waitMs = REDIS_LIMIT_MS,
): Promise<OpenedSecrets> {
  const ofSettings = {
    'stack-token': stackToken === undefined ? undefined : openTokenSetting(stackToken, log),
    'action-key': actionKeys.length === 0 ? undefined : openSetting('ACTION_KEYS', actionKeys, log),
  }
  const names = (['stack-token', 'action-key'] as const).filter((name) => ofSettings[name] === undefined)
  // Loaded on demand: ioredis is the largest package of a service, and a machine without Redis never needs the package.
  const followed =
    stateRedisUrl && names.length > 0
      ? (await import('./follow-secrets.ts')).followSecrets(names, stateRedisUrl, log)
      : undefined
  try {
    await followed?.known(waitMs)
  } catch (error) {
    followed?.close()
    throw error
  }
  const open = async (name: SecretName): Promise<Keyring> => {
    const ring = followed?.rings[name]
    if (!ring) return ofSettings[name] ?? openFile(name, dataDir, log)
    // A secret that is known remains known.
    return { ...ring, current: () => ring.current()! }
  }
  return { token: await open('stack-token'), keys: await open('action-key'), close: () => followed?.close() }
}

export function openTokenSetting(stackToken: string, log: Log): Keyring {
  return openSetting('STACK_TOKEN', [stackToken], log)
}

function openSetting(setting: string, secrets: readonly string[], log: Log): Keyring {
  return createFixedKeyring(secrets, createUnknownLog({ secret: setting, log }))
}

async function openFile(name: SecretName, dataDir: string, log: Log): Promise<Keyring> {
  const unknown = createUnknownLog({ secret: fileOf(name, dataDir), log })
  return createFixedKeyring([await loadSecretFile(name, dataDir)], unknown)
}

function fileOf(name: SecretName, dataDir: string): string {
  return join(dataDir, `${name}.secret`)
}

/**
 * Returns the secret in a file of `dataDir` with mode 0600. The first caller makes the secret; later and concurrent callers
 * receive the same one. `mustExist`: rejects instead of making a missing secret.
 */
export async function loadSecretFile(
  name: SecretName,
  dataDir: string,
  { mustExist = false }: { mustExist?: boolean } = {},
): Promise<string> {
  const file = fileOf(name, dataDir)
  if (mustExist && !existsSync(file)) throw new Error(`${file} does not exist: no stack has used this DATA_DIR`)
  const fresh = randomBytes(32).toString('base64url')
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
