// The processes of feed-and-probes.ts that are probed and notified: one Node process with the inner ports of many
// replicas, each at its own loopback address, with the life of a service and a feed behind it.

import { setTimeout as sleep } from 'node:timers/promises'
import { createFeed, type Feed } from '@portico/shared/kit/feed/feed.ts'
import { createInvalidationRoute } from '@portico/shared/kit/feed/invalidation-route.ts'
import { openFeed } from '@portico/shared/kit/feed/open-feed.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import { createLog, type Log } from '@portico/shared/kit/observe/log.ts'
import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'

export const TOKEN = 'a-token-of-the-bench-a-token-of-the-bench'

/** From the benchmark to this process. */
export type Order =
  | { kind: 'start'; addresses: string[]; port: number; redisUrl?: string }
  /** Reports `reached` when every feed knows this generation. */
  | { kind: 'reach'; generation: number }

/** From this process to the benchmark. */
export type Report = { kind: 'started' } | { kind: 'reached'; atMs: number }

const POLL_MS = 2

if (import.meta.main) serve()

function serve(): void {
  const log = createLog('renderer', 'silent')
  let feeds: Feed[] = []
  const services: Service[] = []
  process.on('message', (order: Order) => {
    if (order.kind === 'reach') return void reach(feeds, order.generation)
    void start(order, log).then((replicas) => {
      feeds = replicas.map(({ feed }) => feed)
      services.push(...replicas.map(({ service }) => service))
      report({ kind: 'started' })
    })
  })
  // The benchmark has ended.
  process.on('disconnect', () => process.exit())
}

async function start({ addresses, port, redisUrl }: Extract<Order, { kind: 'start' }>, log: Log) {
  return Promise.all(
    addresses.map(async (host) => {
      const feed =
        redisUrl === undefined
          ? createFeed({ log })
          : await openFeed({ stateRedisUrl: new URL(redisUrl), dataDir: '' }, host, log)
      const service = await startService({
        log,
        listeners: [],
        inner: {
          host,
          port,
          routes: [createInvalidationRoute(feed)],
          token: createFixedKeyring([TOKEN]),
          version: 'bench.x',
        },
        drain: { delayMs: 0, deadlineMs: 0 },
      })
      if (redisUrl !== undefined) while ((await feed.confirm()) !== 'confirmed') await sleep(POLL_MS)
      return { feed, service }
    }),
  )
}

async function reach(feeds: readonly Feed[], generation: number): Promise<void> {
  while (feeds.some((feed) => feed.position().generation < generation)) await sleep(POLL_MS)
  report({ kind: 'reached', atMs: Date.now() })
}

function report(message: Report): void {
  process.send?.(message)
}
