// Purges pages and data of cached() (C6, O9): the inner endpoint, POST /internal/purge {paths, tags, everything},
// publishes the same event as revalidatePath and revalidateTag of an action (C5).

import { createPublisher, type PublisherDeps, type Reached } from '@portico/shared/kit/feed/publish.ts'
import { createSqliteGenerations } from '@portico/shared/kit/feed/sqlite-generations.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import type { Change } from '@portico/shared/wire/invalidation.ts'
import { type Locales, markedAddress } from '@portico/shared/wire/locales/locales.ts'
import { parsePurgeBody } from '../purge-body.ts'

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

/**
 * Responds 200 `{"generation": n, "processes": {"renderer": {"confirmed": n, "failed": n}, …}}` when every process has
 * confirmed the purge or has had its time, and with generation 0 when the state store is unavailable and only messages
 * reached the processes; 503 when neither the store nor a process took the purge.
 */
export function createPurgeRoute(changes: Pick<Changes, 'publish'>, log: Log): InnerRoute {
  return {
    method: 'POST',
    path: '/internal/purge',
    async handler(body, _request, response) {
      const change = parsePurgeBody(body)
      if ('rule' in change) return sendError(response, 'data', { code: 'bad-request', message: change.rule })
      const { paths, tags, everything } = change
      const fields = { event: 'purge', paths: paths.length, tags: tags.length, everything }
      try {
        const { generation, processes } = await changes.publish(change)
        log.info({ ...fields, generation }, 'purged')
        sendJson(response, 200, { generation, processes })
      } catch (error) {
        log.error({ ...fields, error }, 'purge not published')
        sendError(response, 'data', { code: 'purge-failed' })
      }
    },
  }
}
