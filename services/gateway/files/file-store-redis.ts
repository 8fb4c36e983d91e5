// Published files in the state Redis, shared by all gateways: one hash per file, with its entry and its forms.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { connectRedis, isReadyWithin } from '@portico/shared/kit/store/redis.ts'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import { formsOf } from './file-store-disk.ts'
import { type FileStore, type Folder, PUBLISHED_SECONDS, type PublishedFile } from './old-builds.ts'

/** Publishing at boot waits this long for the first connection. */
const CONNECT_TIMEOUT_MS = 3000

const keyOf = (folder: Folder, name: string) => `portico:file:${folder}/${name}`

/** Connects in the background, and reconnects after each loss. */
export function createRedisFileStore(url: URL, log: Log): FileStore {
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

  const publishOne = async ({ folder, name, entry, read }: PublishedFile) => {
    const key = keyOf(folder, name)
    if ((await redis.expire(key, PUBLISHED_SECONDS)) === 1) return
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
  }

  return {
    async publish(files) {
      if (!(await isReadyWithin(redis, CONNECT_TIMEOUT_MS))) throw new Error('no connection in time')
      for (const file of files) await publishOne(file)
    },
    async find(folder, name) {
      const key = keyOf(folder, name)
      // While the store is unavailable the file counts as missing, and the browser loads the page again (N5).
      const text = await redis.hget(key, 'entry').catch(() => null)
      if (text === null) return undefined
      return {
        // Written above from a build's manifest.
        entry: JSON.parse(text) as FileEntry,
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
