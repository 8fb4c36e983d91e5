// Hears invalidations through the state Redis (D6), beside those that come over HTTP to the inner port. A message that
// was missed does not come again: the count of publications in Redis tells whether one was.

import { GENERATION_KEY, INVALIDATION_CHANNEL, parseInvalidationMessage } from '../shared/node/invalidation.ts'
import type { Log } from '../shared/node/log.ts'
import { connectRedis } from '../shared/node/redis.ts'
import type { PageCache } from './page-cache.ts'

export interface InvalidationSubscriberDeps {
  url: URL
  cache: Pick<PageCache, 'revalidate'>
  log: Log
  /** Milliseconds between looks at the count: a connection may be dead without having ended. */
  checkMs?: number
}

export interface InvalidationSubscriber {
  close(): void
}

const CHECK_MS = 5000
/** The count tells of a publication before its message has arrived; so long a message may be on its way. */
const MESSAGE_MS = 200
const OPTIONS = {
  // What cannot be asked now is asked again at the next connection or look.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResubscribe: false,
  connectTimeout: 2000,
  commandTimeout: 2000,
  retryStrategy: (attempt: number) => Math.min(100 * attempt, 1000),
  // With RESP2 published messages arrive as plain replies.
  protocol: 2,
} as const

/** Connects in the background; nothing here throws or waits while Redis is away. */
export function subscribeToInvalidations(deps: InvalidationSubscriberDeps): InvalidationSubscriber {
  const { url, cache, log, checkMs = CHECK_MS } = deps
  const subscriber = connectRedis(url, { ...OPTIONS, connectionName: 'portico-renderer-subscriber' })
  // A connection that subscribes takes no other commands.
  const reader = connectRedis(url, { ...OPTIONS, connectionName: 'portico-renderer' })
  let isSubscribed = false
  let isAway = false
  /** The count when it was last read, and what it must be by the messages that came since. */
  let counted = Number.NaN
  let expected = Number.NaN

  const readCount = async () => Number((await reader.get(GENERATION_KEY)) ?? 0)

  /** Nobody can say which pages the missed messages named, so no page of before is shown again. */
  const catchUp = async () => {
    const count = await readCount()
    if (count === expected) return
    const isFirst = Number.isNaN(expected)
    counted = expected = count
    await cache.revalidate({ paths: [], tags: [], everything: true })
    if (!isFirst) log.warn({ event: 'invalidations-missed', generation: count }, 'all cached pages were dropped')
  }

  /** Does nothing before both connections stand: whichever stands last comes here again. */
  const recover = async (): Promise<void> => {
    if (!isSubscribed || reader.status !== 'ready') return
    await catchUp()
    if (isAway) log.info({ event: 'invalidations-back' }, 'the state store tells of invalidations again')
    isAway = false
  }

  const look = async (): Promise<void> => {
    if (!isSubscribed || reader.status !== 'ready') return
    if (!isAway && (await readCount()) === expected) return
    await new Promise((done) => setTimeout(done, MESSAGE_MS))
    await recover()
  }

  const subscribe = async (): Promise<void> => {
    // Before the count is read: what is published from now on arrives, what was before shows in the count.
    await subscriber.subscribe(INVALIDATION_CHANNEL)
    isSubscribed = true
  }

  const noteFault = (error: unknown): void => {
    // One line an outage, not one an attempt.
    if (!isAway) log.warn({ event: 'invalidations-away', error }, 'the state store tells of no invalidations')
    isAway = true
  }

  subscriber.on('message', (_channel: string, text: string) => {
    const message = parseInvalidationMessage(text)
    if (!message) return
    // One that was counted when the count was read is in it already.
    if (!(message.generation <= counted)) expected++
    void cache.revalidate(message)
  })
  let last: Promise<void> = Promise.resolve()
  /** One after the other: two that find the same publications missing would drop all pages twice. */
  const inTurn = (work: () => Promise<void>): void => {
    last = last.then(work).catch(noteFault)
  }
  subscriber.on('ready', () => void subscribe().then(() => inTurn(recover), noteFault))
  subscriber.on('close', () => {
    isSubscribed = false
  })
  reader.on('ready', () => inTurn(recover))
  for (const connection of [subscriber, reader]) connection.on('error', noteFault)
  const timer = setInterval(() => inTurn(look), checkMs)

  return {
    close() {
      clearInterval(timer)
      subscriber.disconnect()
      reader.disconnect()
    },
  }
}
