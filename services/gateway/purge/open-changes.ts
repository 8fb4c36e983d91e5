// The gateway's way to publish a change: the same event as revalidatePath and revalidateTag of an action (C5, C6).

import { createPublisher, type PublisherDeps, type Reached } from '@portico/shared/kit/feed/publish.ts'
import { createSqliteGenerations } from '@portico/shared/kit/feed/sqlite-generations.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import type { Change } from '@portico/shared/wire/invalidation.ts'
import { type Locales, markedAddress } from '@portico/shared/wire/locales/locales.ts'

const CONNECT_LIMIT_MS = 2000

interface ChangesOptions {
  stateRedisUrl: RedisUrl | undefined
  dataDir: string
  /** Inner URLs of the services that keep tagged data, by the name of the service. */
  innerUrls: Readonly<Record<string, readonly URL[]>>
  /** The token of the stack; undefined while it is not known. */
  token: () => string | undefined
  log: Log
  i18n?: Locales | undefined
}

export interface Changes {
  /** As InvalidationPort.publish, with the processes of each service by its name. */
  publish(change: Change): Promise<{ generation: number; processes: Record<string, Reached> }>
  close(): void
}

/** Connects to the state store at the first change: most gateways publish none. */
export function openChanges(options: ChangesOptions): Changes {
  let opened: ReturnType<typeof open> | undefined
  return {
    async publish(change) {
      opened ??= open(options)
      const { publisher } = await opened
      const paths = change.paths.map((path) => markedAddress(options.i18n, path))
      const { position, reached } = await publisher.publishAndCount({ ...change, paths })
      const names = Object.keys(options.innerUrls)
      return {
        generation: position.generation,
        processes: Object.fromEntries(reached.map((each, at) => [names[at], each])),
      }
    },
    close() {
      const end = ({ publisher, close }: Awaited<ReturnType<typeof open>>) => {
        publisher.close()
        close()
      }
      void opened?.then(end)
    },
  }
}

async function open({ innerUrls, token, log, ...options }: ChangesOptions) {
  const { close, ...store } = await openStore(options)
  return {
    publisher: createPublisher({ ...store, innerUrls: Object.values(innerUrls), token, log }),
    close,
  }
}

async function openStore({
  stateRedisUrl,
  dataDir,
}: Pick<ChangesOptions, 'stateRedisUrl' | 'dataDir'>): Promise<
  Pick<PublisherDeps, 'store' | 'broadcast'> & { close: () => void }
> {
  if (!stateRedisUrl) {
    const store = createSqliteGenerations({ dataDir, now: Date.now })
    return { store, close: () => store.close() }
  }
  const { connectRedis, isReadyWithin } = await import('@portico/shared/kit/store/redis.ts')
  const { createRedisGenerations } = await import('@portico/shared/kit/feed/redis-generations.ts')
  const redis = connectRedis(stateRedisUrl, 'once', { connectionName: 'portico-gateway-purge' })
  // The publisher reports each change that is not counted.
  redis.on('error', () => {})
  // The first change waits for the connection; while Redis is unavailable a change fails with the connection.
  await isReadyWithin(redis, CONNECT_LIMIT_MS)
  return {
    store: createRedisGenerations(redis),
    broadcast: (channel, text) => redis.publish(channel, text),
    close: () => redis.disconnect(),
  }
}
