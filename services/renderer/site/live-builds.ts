// Which builds have a ready renderer (O4): each refreshes a key of its build in the state store. A renderer whose build has a
// module that cannot be loaded asks, so that a rolling deploy to such a build stops while the old one serves.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { connectRedis, isReadyWithin } from '@portico/shared/kit/store/redis.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'

/** After three refreshes that failed the build counts as gone. */
const LIFE_SECONDS = 30
const REFRESH_MS = 10_000
const CONNECT_LIMIT_MS = 2000

/** The names of builds, which have a key each that expires; a name without a key is removed. */
const NAMES = 'portico:live'
const keyOf = (build: string) => `portico:live:${build}`

export interface LiveBuilds {
  /** From now on the build counts as live, until `close` and the life of its key. */
  announce(): void
  /** Other builds with a ready renderer. Rejects while the state store is unavailable: then none of them is known. */
  others(): Promise<string[]>
  close(): void
}

/** Without a shared store no other machine has a renderer of the site. */
export const NO_OTHER_BUILDS: LiveBuilds = { announce() {}, others: async () => [], close() {} }

export function createLiveBuilds(url: RedisUrl, buildId: string, log: Log): LiveBuilds {
  const redis = connectRedis(url, 'feed', { connectionName: 'portico-live' })
  // The feed, which has the same store, reports that it is unavailable.
  redis.on('error', () => {})
  let timer: NodeJS.Timeout | undefined
  let isRefused = false
  /** A Redis whose users lack these keys is no reason to serve nothing. */
  const noteRefused = (error: unknown): boolean => {
    if (!(error instanceof Error && error.message.startsWith('NOPERM'))) return false
    if (!isRefused)
      log.warn(
        { event: 'live-builds-refused' },
        'the user "renderer" of the state Redis may not use the keys portico:live*: a deploy of a page that cannot be loaded does not stop. Copy the line of the user from docker-compose.yml of this version',
      )
    isRefused = true
    return true
  }
  const refresh = () =>
    void Promise.all([redis.set(keyOf(buildId), '1', 'EX', LIFE_SECONDS), redis.sadd(NAMES, buildId)]).catch(
      noteRefused,
    )
  return {
    announce() {
      if (redis.status === 'ready') refresh()
      timer = setInterval(refresh, REFRESH_MS).unref()
      // The service may be ready before the connection; a store that was emptied has the key again at once.
      redis.on('ready', refresh)
    },
    async others() {
      if (!(await isReadyWithin(redis, CONNECT_LIMIT_MS))) throw new Error('the state store does not respond')
      const members = await redis.smembers(NAMES).catch((error: unknown) => {
        if (noteRefused(error)) return []
        throw error
      })
      const names = members.filter((name) => name !== buildId)
      const found = await Promise.all(names.map(async (name) => ({ name, isLive: await redis.exists(keyOf(name)) })))
      const gone = found.filter(({ isLive }) => !isLive).map(({ name }) => name)
      // A build that becomes live again adds its name with each refresh.
      if (gone.length > 0) await redis.srem(NAMES, ...gone)
      return found.filter(({ isLive }) => isLive).map(({ name }) => name)
    },
    close() {
      clearInterval(timer)
      redis.disconnect()
    },
  }
}
