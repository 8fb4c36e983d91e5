// Receives invalidations through the state Redis (D6), in addition to those over HTTP to the inner port. A missed
// message is not sent again: the count of publications in Redis shows whether one was missed.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import {
  GENERATION_KEY,
  INVALIDATION_CHANNEL,
  parseInvalidationMessage,
} from '@portico/shared/kit/store/invalidation.ts'
import { connectRedis } from '@portico/shared/kit/store/redis.ts'
import type { PageCache } from './page-cache.ts'

interface InvalidationSubscriberDeps {
  url: URL
  cache: Pick<PageCache, 'revalidate'>
  log: Log
  /** Milliseconds between reads of the count: a connection may be dead without having ended. */
  checkMs?: number
}

const CHECK_MS = 5000
/** The count includes a publication before its message has arrived: a message may take this long. */
const MESSAGE_MS = 200

/** Connects in the background; does not throw or wait while Redis is unavailable. */
export function subscribeToInvalidations(deps: InvalidationSubscriberDeps) {
  const { url, cache, log, checkMs = CHECK_MS } = deps
  const subscriber = connectRedis(url, 'feed', { connectionName: 'portico-renderer-subscriber' })
  // A subscribed connection accepts no other commands.
  const reader = connectRedis(url, 'feed', { connectionName: 'portico-renderer' })
  let isSubscribed = false
  let isAway = false
  /** The count at the last read, and the expected count after the messages since then. */
  let counted = Number.NaN
  let expected = Number.NaN

  const readCount = async () => Number((await reader.get(GENERATION_KEY)) ?? 0)

  /** The missed messages may have named any page, so that no earlier page may be shown again. */
  const catchUp = async () => {
    const count = await readCount()
    if (count === expected) return
    const isFirst = Number.isNaN(expected)
    counted = expected = count
    await cache.revalidate({ paths: [], tags: [], everything: true })
    if (!isFirst) log.warn({ event: 'invalidations-missed', generation: count }, 'all cached pages dropped')
  }

  /** Does nothing until both connections are open: the last one to open calls this function again. */
  const recover = async (): Promise<void> => {
    if (!isSubscribed || reader.status !== 'ready') return
    await catchUp()
    if (isAway) log.info({ event: 'invalidations-back' }, 'invalidations from the state store resumed')
    isAway = false
  }

  const check = async (): Promise<void> => {
    if (!isSubscribed || reader.status !== 'ready') return
    if (!isAway && (await readCount()) === expected) return
    await new Promise((done) => setTimeout(done, MESSAGE_MS))
    await recover()
  }

  const subscribe = async (): Promise<void> => {
    // Subscribes before it reads the count: later publications arrive as messages, earlier ones are in the count.
    await subscriber.subscribe(INVALIDATION_CHANNEL)
    isSubscribed = true
  }

  const noteFault = (error: unknown): void => {
    // One line per outage, not one per attempt.
    if (!isAway) log.warn({ event: 'invalidations-away', error }, 'invalidations from the state store unavailable')
    isAway = true
  }

  subscriber.on('message', (_channel: string, text: string) => {
    const message = parseInvalidationMessage(text)
    if (!message) return
    // A message that the last read count includes is not counted again.
    if (!(message.generation <= counted)) expected++
    void cache.revalidate(message)
  })
  let last: Promise<void> = Promise.resolve()
  /** Runs work sequentially: two parallel checks would find the same missed publications and drop all pages twice. */
  const inTurn = (work: () => Promise<void>): void => {
    last = last.then(work).catch(noteFault)
  }
  subscriber.on('ready', () => void subscribe().then(() => inTurn(recover), noteFault))
  subscriber.on('close', () => {
    isSubscribed = false
  })
  reader.on('ready', () => inTurn(recover))
  for (const connection of [subscriber, reader]) connection.on('error', noteFault)
  const timer = setInterval(() => inTurn(check), checkMs)

  return {
    close(): void {
      clearInterval(timer)
      subscriber.disconnect()
      reader.disconnect()
    },
  }
}
