// What an operator's command does with a secret of the state Redis: read it, or rotate it (O10).

import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '../observe/log.ts'
import { connectRedis, isReadyWithin } from '../store/redis.ts'
import type { RedisUrl } from '../store/redis-address.ts'
import { placeIn, type SecretName, unreadable } from './follow-secrets.ts'
import { createHolder, missingError, ROTATION_DELAY_MS, type SecretPlace } from './holder.ts'
import { acceptedValues, parseSecrets } from './stored-secret.ts'

const CONNECT_LIMIT_MS = 5000
/** Services write a secret back within a second after the store has lost it. */
const MISSING_LIMIT_MS = 2000
/** Services read within a second what another one has stored. */
const CHECK_MS = 250

/** The secret that signs now. Rejects where there is none. */
export function readSecret(name: SecretName, url: RedisUrl): Promise<string> {
  return atPlace(name, url, async (place) => {
    const [value] = acceptedValues(parseSecrets((await place.read()) ?? '') ?? [], Date.now())
    if (value === undefined) throw missingError(place.name)
    return value
  })
}

/**
 * Stores the next rotation of a secret, and resolves with its number when it signs. Rejects where there is no secret and no
 * service writes one back.
 */
export function rotateSecret(name: SecretName, url: RedisUrl): Promise<number> {
  return atPlace(name, url, async (place) => {
    const holder = createHolder({ secret: name, place, now: Date.now, log: createLog('portico', 'silent') })
    const check = () => sleep(CHECK_MS).then(holder.check)
    await holder.check()
    for (let waited = 0; holder.current() === undefined && waited < MISSING_LIMIT_MS; waited += CHECK_MS) await check()
    const rotation = await holder.rotate()
    // A service that had read a moment before may have written what it knew: the checks store the rotation again.
    for (let waited = 0; waited <= ROTATION_DELAY_MS; waited += CHECK_MS) await check()
    return rotation
  })
}

/** Opens a connection for one secret. */
async function atPlace<T>(name: SecretName, url: RedisUrl, use: (place: SecretPlace) => Promise<T>): Promise<T> {
  const redis = connectRedis(url, 'once', { connectionName: 'portico-secrets' })
  let connectionFault = ''
  redis.on('error', (error) => {
    connectionFault = ` (${error.message})`
  })
  try {
    if (!(await isReadyWithin(redis, CONNECT_LIMIT_MS))) throw new Error('no response in time')
    return await use(placeIn(redis, name))
  } catch (cause) {
    throw unreadable(name, url, cause, connectionFault)
  } finally {
    redis.disconnect()
  }
}
