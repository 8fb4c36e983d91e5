// The publishing side of the invalidation feed (C5, D6): counts a change in the state store and notifies every process
// that keeps tagged data. Resolves when each process has confirmed the change, or no longer trusts what it keeps.

import {
  type Change,
  type FeedPosition,
  INVALIDATION_CHANNEL,
  INVALIDATION_PATH,
  type InvalidationMessage,
  PROCESS_LIMIT_MS,
} from '../../wire/invalidation.ts'
import { placeName, portOf } from '../config/service-addresses.ts'
import { createInnerClient } from '../inner/inner-client.ts'
import { lookupAll } from '../life/replica-probe.ts'
import type { Log } from '../observe/log.ts'
import type { GenerationStore } from './generations.ts'
import { createUncounted } from './uncounted.ts'

/** The confirmation of a process has no content of use. */
const RESPONSE_LIMIT_BYTES = 64 * 1024

export interface InvalidationPort {
  /**
   * Resolves with the position from which on renders see the change; without an epoch while the state store is
   * unavailable. Rejects when the change was neither counted nor confirmed by any process of a service.
   */
  publish(change: Change): Promise<FeedPosition>
  close(): void
}

interface Publisher extends InvalidationPort {
  /** As `publish`, with the processes of each service in the order of `innerUrls`. */
  publishAndCount(change: Change): Promise<{ position: FeedPosition; reached: readonly Reached[] }>
}

/** Processes of one service. A process that did not confirm reads the marks later, if the change was counted. */
export interface Reached {
  confirmed: number
  failed: number
}

export interface PublisherDeps {
  store: GenerationStore
  /** Sends a message to the subscribers of a channel; absent without Redis. */
  broadcast?: (channel: string, text: string) => Promise<unknown>
  /** Inner URLs of each service that keeps tagged data; each host may resolve to many replicas. */
  innerUrls: readonly (readonly URL[])[]
  /** Undefined while the stack's token is not known. */
  token: () => string | undefined
  log: Log
  timeoutMs?: number
  /** Called with the address and inner port (`placeName`) of each process that did not confirm a change. */
  onUnconfirmed?: (address: string) => void
  /** All addresses of a host name; default: the system's resolver. */
  lookup?: (host: string) => Promise<string[]>
}

export function createPublisher(deps: PublisherDeps): Publisher {
  const { store, broadcast, innerUrls, log, timeoutMs = PROCESS_LIMIT_MS } = deps
  const uncounted = createUncounted(store, log)
  const { notify, close } = createNotifier(deps)

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

  const publishAndCount: Publisher['publishAndCount'] = async (change) => {
    const message = await count(change)
    const text = JSON.stringify(message)
    // Measured from the count: a read of the marks that began earlier is as old as this.
    const limit = wait(timeoutMs)
    const late = AbortSignal.timeout(timeoutMs)
    // A subscriber that misses a message reads its mark 150 ms later.
    const broadcasted = broadcast?.(INVALIDATION_CHANNEL, text).catch(() => {})
    const [reached] = await Promise.all([Promise.all(innerUrls.map((urls) => notify(urls, text, late))), broadcasted])
    // A process that failed early may still serve clients: it trusts what it keeps for as long as one that hangs.
    if (reached.some(({ failed }) => failed > 0)) await limit.over
    limit.cancel()
    // A counted change reaches every process by the marks.
    const unreached = innerUrls.find((_, at) => reached[at]?.confirmed === 0)
    if (unreached && message.epoch === '')
      throw new Error(`no process at ${unreached.map(({ host }) => host).join(', ')} received the invalidation`)
    const { epoch, generation } = message
    return { position: epoch === '' ? { generation: 0 } : { epoch, generation }, reached }
  }
  return {
    publishAndCount,
    publish: async (change) => (await publishAndCount(change)).position,
    close() {
      uncounted.close()
      close()
    },
  }
}

/** Posts to the inner port of every process of a service, and reports in the log which process did not confirm, and why. */
function createNotifier(deps: PublisherDeps) {
  const { log, timeoutMs = PROCESS_LIMIT_MS, onUnconfirmed, lookup = lookupAll } = deps
  const client = createInnerClient({ token: deps.token, limitBytes: RESPONSE_LIMIT_BYTES })
  const notifyAt = async (url: URL, body: string, late: AbortSignal): Promise<Reached> => {
    const host = url.hostname
    const found = withinTime(lookup(host), timeoutMs, `the address of ${host}`)
    const addresses = await found.catch((error: unknown) => {
      log.warn({ error, host }, 'replicas not invalidated')
      return undefined
    })
    if (!addresses) return { confirmed: 0, failed: 1 }
    const innerPort = portOf(url)
    // A process that has applied a change may apply it again.
    const request = { path: INVALIDATION_PATH, json: body, isRepeatable: true, signal: late }
    const results = await Promise.all(addresses.map((address) => client.send({ address, innerPort }, request)))
    let failed = 0
    for (const [index, result] of results.entries()) {
      if (result.kind === 'bytes') continue
      failed++
      const address = placeName(addresses[index]!, innerPort)
      log.warn({ error: result.error, host, address }, 'replica not invalidated')
      onUnconfirmed?.(address)
    }
    return { confirmed: results.length - failed, failed }
  }
  const notify = async (urls: readonly URL[], body: string, late: AbortSignal): Promise<Reached> => {
    const reached = await Promise.all(urls.map((url) => notifyAt(url, body, late)))
    const sum = (key: keyof Reached) => reached.reduce((total, each) => total + each[key], 0)
    return { confirmed: sum('confirmed'), failed: sum('failed') }
  }
  return { notify, close: client.close }
}

function withinTime<T>(promise: Promise<T>, milliseconds: number, what: string): Promise<T> {
  const limit = wait(milliseconds)
  const late = limit.over.then((): never => {
    throw new Error(`${what} took longer than ${milliseconds} ms`)
  })
  return Promise.race([promise, late]).finally(limit.cancel)
}

function wait(milliseconds: number): { over: Promise<void>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((done) => {
    timer = setTimeout(done, milliseconds)
  })
  return { over, cancel: () => clearTimeout(timer) }
}
