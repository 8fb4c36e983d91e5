// The publishing side of the invalidation feed (C5, D6): counts a change in the state store and notifies every process
// that keeps tagged data. Resolves when each process has confirmed the change or has had its time.

import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import {
  type Change,
  INVALIDATION_CHANNEL,
  INVALIDATION_PATH,
  type InvalidationMessage,
} from '../../wire/invalidation.ts'
import type { Log } from '../observe/log.ts'
import type { GenerationStore } from './generations.ts'
import { createUncounted } from './uncounted.ts'

export interface InvalidationPort {
  /**
   * Resolves with the generation from which on renders see the change; 0 while the state store is unavailable. Rejects
   * when the change was neither counted nor confirmed by any process.
   */
  publish(change: Change): Promise<{ generation: number }>
  close(): void
}

/** A process that does not respond for this long no longer trusts what it keeps (C5), or reads the marks by then. */
const PROCESS_TIMEOUT_MS = 500

export interface PublisherDeps {
  store: GenerationStore
  /** Sends a message to the subscribers of a channel; absent without Redis. */
  broadcast?: (channel: string, text: string) => Promise<unknown>
  /** Inner URLs of the services that keep tagged data; each host may resolve to many replicas. */
  innerUrls: readonly URL[]
  token: string
  log: Log
  timeoutMs?: number
  /** All addresses of a host name; default: the system's resolver. */
  resolve?: (host: string) => Promise<LookupAddress[]>
}

export function createPublisher(deps: PublisherDeps): InvalidationPort {
  const { store, broadcast, innerUrls, log } = deps
  const uncounted = createUncounted(store, log)
  const notify = createNotifier(deps)

  const count = async (change: Change): Promise<InvalidationMessage> => {
    const { paths, tags, everything = false } = change
    try {
      // Counting comes first: a process that reads the new generation knows that its entries may be out of date.
      return { ...(await store.raise(change)), paths, tags, everything }
    } catch (error) {
      log.warn({ error }, 'invalidation not counted in the state store')
      uncounted.add(change)
      return { generation: 0, epoch: '', paths, tags, everything }
    }
  }

  return {
    async publish(change) {
      const message = await count(change)
      const text = JSON.stringify(message)
      const confirmed = Promise.all(innerUrls.map((url) => notify(url, text)))
      // A subscriber that misses a message reads its mark 150 ms later.
      const broadcasted = broadcast?.(INVALIDATION_CHANNEL, text).catch(() => {})
      const [counts] = await Promise.all([confirmed, broadcasted])
      // A counted change reaches every process by the marks.
      const unreached = innerUrls.find((_, at) => counts[at] === 0)
      if (unreached && message.epoch === '')
        throw new Error(`no process at ${unreached.host} received the invalidation`)
      return { generation: message.generation }
    },
    close: uncounted.close,
  }
}

/** Posts to the inner port of every address of a host; resolves with the number of processes that confirmed. */
function createNotifier(deps: PublisherDeps) {
  const { token, log, timeoutMs = PROCESS_TIMEOUT_MS } = deps
  // `lookup`, because resolve4 ignores search domains and /etc/hosts.
  const resolve = deps.resolve ?? ((host: string) => lookup(host, { all: true }))
  const post = async (url: string, body: string): Promise<void> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`the process responded ${response.status}`)
  }
  return async (url: URL, body: string): Promise<number> => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const found = withinTime(resolve(host), timeoutMs, `the address of ${host}`)
    const addresses = await found.catch((error: unknown) => {
      log.warn({ error, host }, 'replicas not invalidated')
      return []
    })
    const results = await Promise.allSettled(addresses.map((at) => post(urlAt(url, at), body)))
    for (const [index, result] of results.entries())
      if (result.status === 'rejected')
        log.warn({ error: result.reason, host, address: addresses[index]?.address }, 'replica not invalidated')
    return results.filter(({ status }) => status === 'fulfilled').length
  }
}

function urlAt(base: URL, { address, family }: LookupAddress): string {
  const host = family === 6 ? `[${address}]` : address
  return `http://${host}:${base.port || '80'}${INVALIDATION_PATH}`
}

function withinTime<T>(promise: Promise<T>, milliseconds: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_done, fail) => {
    timer = setTimeout(() => fail(new Error(`${what} took longer than ${milliseconds} ms`)), milliseconds)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
