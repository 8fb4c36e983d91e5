// Published files in the state Redis, shared by all gateways: one hash per file, with its entry and its forms.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { connectRedis, isReadyWithin } from '@portico/shared/kit/store/redis.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import { parseInfo, readInfo } from '@portico/shared/kit/store/redis-metrics.ts'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import { KEPT_PUBLIC_STORE_SHARE } from '@portico/shared/wire/constants.ts'
import { formsOf } from './file-store-disk.ts'
import { type FileStore, type Folder, PUBLISHED_SECONDS } from './old-builds.ts'

/** Publishing at boot waits this long for the first connection. */
const CONNECT_TIMEOUT_MS = 3000

/** `write` stored the entry of a build's manifest. */
const parseEntry = (text: string) => JSON.parse(text) as FileEntry

const keyOf = (folder: Folder, name: string) => `portico:file:${folder}/${name}`

/** Connects in the background, and reconnects after each loss. */
export function createRedisFileStore(url: RedisUrl, log: Log): FileStore {
  const redis = connectRedis(url, 'files')
  let isReported = false
  redis.on('ready', () => {
    isReported = false
  })
  // One line per loss, not one per attempt.
  redis.on('error', (error) => {
    if (!isReported) log.warn({ error, event: 'state-store-away' }, 'state store unreachable')
    isReported = true
  })

  return {
    async begin() {
      if (!(await isReadyWithin(redis, CONNECT_TIMEOUT_MS))) throw new Error('no connection in time')
    },
    async renew({ folder, name, entry }) {
      const key = keyOf(folder, name)
      if (folder === 'public') {
        const stored = await redis.hget(key, 'entry')
        if (stored === null || parseEntry(stored).etag !== entry.etag) return false
      }
      return (await redis.expire(key, PUBLISHED_SECONDS)) === 1
    },
    async write({ folder, name, entry, read }) {
      const key = keyOf(folder, name)
      const fields: (string | Buffer)[] = ['entry', JSON.stringify(entry)]
      for (const form of formsOf(entry)) fields.push(form, await read(form))
      // One transaction: a file without an expiry would never be removed.
      const results = await redis
        .multi()
        .hset(key, ...fields)
        .expire(key, PUBLISHED_SECONDS)
        .exec()
      const failed = results?.find(([error]) => error !== null)
      if (!results || failed) throw new Error(`${key} was not stored`, { cause: failed?.[0] })
    },
    async publicRoomBytes() {
      const servers = (await readInfo(redis)).map(parseInfo)
      // Without a limit of the server the limits of each build remain.
      const rooms = servers.map(({ usedBytes, limitBytes }) =>
        limitBytes === 0 ? Number.POSITIVE_INFINITY : limitBytes * KEPT_PUBLIC_STORE_SHARE - usedBytes,
      )
      return Math.min(...rooms)
    },
    async removePublic(name) {
      await redis.del(keyOf('public', name))
    },
    async find(folder, name) {
      const key = keyOf(folder, name)
      if (folder === 'public') {
        // One command: another build may replace entry and bytes at any time.
        const [stored, bytes] = await redis.hmgetBuffer(key, 'entry', 'identity').catch(() => [])
        if (!stored || !bytes) return undefined
        return { entry: parseEntry(stored.toString()), open: async () => ({ kind: 'memory', bytes }) }
      }
      // While the store is unavailable the file counts as missing, and the browser loads the page again (N5).
      const text = await redis.hget(key, 'entry').catch(() => null)
      if (text === null) return undefined
      return {
        entry: parseEntry(text),
        async open(form) {
          const bytes = await redis.hgetBuffer(key, form)
          if (bytes === null) throw new Error(`${key} ended while it was read`)
          return { kind: 'memory', bytes }
        },
      }
    },
    close: () => redis.disconnect(),
  }
}
