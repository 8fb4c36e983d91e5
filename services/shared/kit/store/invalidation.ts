// The publishing side of the invalidation port (D6): reports outdated paths and tags to every renderer and returns the
// generation from which on renders see the change. Two transports: HTTP to every renderer, or HTTP and Redis, where all
// replicas count one generation and every subscriber receives the change.

import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { RevalidateRequest, RevalidateResponse } from '../../wire/action-wire.ts'
import type { Log } from '../observe/log.ts'

/** Notifies all replicas; resolves when the replicas have confirmed the change. */
export interface InvalidationPort {
  /** Rejects when no replica could be notified. */
  publish(change: RevalidateRequest): Promise<RevalidateResponse>
}

/** Redis key that counts generations; every publication increments it. */
export const GENERATION_KEY = 'portico:generation'
/** Redis channel of publications; each message is an InvalidationMessage as JSON. */
export const INVALIDATION_CHANNEL = 'portico:invalidation'

/** What subscribers of INVALIDATION_CHANNEL receive. */
export interface InvalidationMessage extends RevalidateRequest {
  generation: number
}

/** Longest wait for one replica; D6 promises 250 ms, the rest is for a busy replica. */
const REPLICA_TIMEOUT_MS = 2000

export interface HttpInvalidationDeps {
  /** The renderer's inner URL; its host may resolve to many replicas. */
  rendererInnerUrl: URL
  token: string
  log: Log
  timeoutMs?: number
  /** All addresses of a host name; default: the system's resolver. */
  resolve?: (host: string) => Promise<LookupAddress[]>
}

/**
 * Posts to the inner port of every address of the renderer's host. A failing replica is logged and does not delay the
 * others.
 */
export function createHttpInvalidation(deps: HttpInvalidationDeps): InvalidationPort {
  const { rendererInnerUrl, token, log, timeoutMs = REPLICA_TIMEOUT_MS } = deps
  // `lookup`, because resolve4 ignores search domains and /etc/hosts.
  const resolve = deps.resolve ?? ((host: string) => lookup(host, { all: true }))
  const notify = async (url: string, body: string): Promise<number> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) throw new Error(`the renderer responded ${response.status}`)
    return parseGeneration(await response.json())
  }
  return {
    async publish(change) {
      const host = rendererInnerUrl.hostname.replace(/^\[|\]$/g, '')
      const addresses = await withinTime(resolve(host), timeoutMs, `the address of ${host}`)
      const body = JSON.stringify(change)
      const results = await Promise.allSettled(addresses.map((at) => notify(revalidateUrl(rendererInnerUrl, at), body)))
      const generations: number[] = []
      for (const [index, result] of results.entries()) {
        if (result.status === 'fulfilled') generations.push(result.value)
        else log.warn({ error: result.reason, address: addresses[index]?.address }, 'renderer not invalidated')
      }
      if (generations.length === 0) throw new Error('no renderer received the invalidation')
      return { generation: Math.max(...generations) }
    },
  }
}

function revalidateUrl(base: URL, { address, family }: LookupAddress): string {
  const host = family === 6 ? `[${address}]` : address
  return `http://${host}:${base.port || '80'}/internal/revalidate`
}

function parseGeneration(value: unknown): number {
  const { generation } = (value ?? {}) as { generation?: unknown }
  if (typeof generation !== 'number') throw new Error('the response of the renderer has no generation')
  return generation
}

/** The two commands that the Redis transport needs, as ioredis has them. */
export interface PublishingRedis {
  incr(key: string): Promise<number>
  publish(channel: string, message: string): Promise<number>
}

export interface SharedInvalidationDeps {
  redis: PublishingRedis
  /** The HTTP transport: its responses confirm that the renderers know the change. */
  http: InvalidationPort
  log: Log
}

/**
 * Counts the generation in Redis, so that the number means the same on every replica, publishes the change there and
 * notifies the renderers over HTTP. While Redis is unavailable only HTTP notifies the renderers.
 */
export function createSharedInvalidation({ redis, http, log }: SharedInvalidationDeps): InvalidationPort {
  return {
    async publish({ paths, tags }) {
      let counted: number
      try {
        // Counting comes first: a replica that reads the new count knows that its entries may be out of date.
        counted = await redis.incr(GENERATION_KEY)
      } catch (error) {
        log.warn({ error }, 'invalidation not counted in the state store')
        return http.publish({ paths, tags })
      }
      const message: InvalidationMessage = { generation: counted, paths, tags }
      const [published, notified] = await Promise.allSettled([
        redis.publish(INVALIDATION_CHANNEL, JSON.stringify(message)),
        http.publish(message),
      ])
      // One of the two suffices: each of them reaches the renderers.
      if (notified.status === 'rejected' && published.status === 'rejected') throw notified.reason
      return { generation: notified.status === 'fulfilled' ? Math.max(counted, notified.value.generation) : counted }
    },
  }
}

/** Parses a message of INVALIDATION_CHANNEL; undefined for anything else. */
export function parseInvalidationMessage(text: string): InvalidationMessage | undefined {
  let value: Partial<InvalidationMessage> | null
  try {
    value = JSON.parse(text) as Partial<InvalidationMessage> | null
  } catch {
    // A malformed message on a shared channel is not the reader's fault.
    return undefined
  }
  if (typeof value?.generation !== 'number' || !isTextList(value.paths) || !isTextList(value.tags)) return undefined
  return { generation: value.generation, paths: value.paths, tags: value.tags }
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function withinTime<T>(promise: Promise<T>, milliseconds: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_done, fail) => {
    timer = setTimeout(() => fail(new Error(`${what} took longer than ${milliseconds} ms`)), milliseconds)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
