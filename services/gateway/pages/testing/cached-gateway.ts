// For tests: a gateway with a page cache, its feed over a store in a file, and renderers that send given entries.

import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFeed, type Feed } from '@portico/shared/kit/feed/feed.ts'
import type { GenerationReader, GenerationStore } from '@portico/shared/kit/feed/generations.ts'
import { createSqliteGenerations } from '@portico/shared/kit/feed/sqlite-generations.ts'
import { probeReady } from '@portico/shared/kit/life/replica-probe.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { ENTRY_PATH, type EntryRequest, parseEntryQuery } from '@portico/shared/wire/page-entry.ts'
import { type GatewayOptions, type TestGateway, TOKEN, type Upstream } from '../../testing/gateway-fixture.ts'
import { gatewayOf, stopAfter, upstreamOf } from '../../testing/proxy-fixture.ts'
import { pageEntry } from './entries.ts'

export const VERSION = 'build1.x'
const silent = createLog('test', 'silent')
const files = { module: '', imports: [], styles: [] }
export const MANIFEST: NonNullable<GatewayOptions['manifest']> = {
  pages: [
    { pattern: '/about', file: '', data: 'none', files },
    { pattern: '/posts/[id]', file: '', data: 'static', files },
    { pattern: '/me', file: '', data: 'server', files },
  ],
}

type RespondEntry = (asked: EntryRequest, response: ServerResponse) => Buffer | Promise<Buffer> | undefined

export interface Renderer {
  upstream: Upstream
  /** Requests for entries, and for pages of the public port. */
  asked: EntryRequest[]
  /** May be changed; undefined: the function has responded. */
  entry: RespondEntry
}

/** A renderer whose inner port and public port are one. */
export async function rendererOf(options: Parameters<typeof upstreamOf>[1] = {}): Promise<Renderer> {
  const upstream = await upstreamOf('renderer', { version: VERSION, ...options })
  const renderer: Renderer = {
    upstream,
    asked: [],
    entry: ({ pattern, params }) => pageEntry(`${pattern} ${JSON.stringify(params)}`),
  }
  upstream.respond = async (request, response) => {
    const [path, search = ''] = (request.url ?? '').split('?')
    if (path !== ENTRY_PATH) return void response.setHeader('content-type', 'text/html').end('passed')
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end()
    const asked = parseEntryQuery(search)
    if (typeof asked === 'string') return void response.writeHead(400).end(asked)
    renderer.asked.push(asked)
    const bytes = await renderer.entry(asked, response)
    if (bytes) response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  }
  return renderer
}

export interface CachedGateway extends TestGateway {
  feed: Feed
  store: GenerationStore
  /**
   * `isAway`: the store of marks does not respond. `offsetMs` and `feedOffsetMs` are the clocks of the cache and of the
   * feed: time passes when a test moves them, not while a busy machine is late.
   */
  state: { isAway: boolean; offsetMs: number; feedOffsetMs: number }
  /** The store has not responded for more than 500 ms. */
  loseStore(): void
}

/** What the clocks show at the start. */
const START_MS = 1_000_000
const PROBE_LIMIT_MS = 30_000

export interface CachedGatewayOptions extends Partial<GatewayOptions> {
  timeoutMs?: number
  limitBytes?: number
}

export async function cachedGateway(
  renderer: Renderer,
  { timeoutMs = 60_000, limitBytes = 8 * 1024 * 1024, replicaOptions, ...options }: CachedGatewayOptions = {},
): Promise<CachedGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-gateway-cache-'))
  const store = createSqliteGenerations({ dataDir, now: Date.now })
  await store.raise({ paths: [], tags: [] })
  const source = createSqliteGenerations({ dataDir, now: Date.now })
  const state = { isAway: false, offsetMs: 0, feedOffsetMs: 0 }
  const reader: GenerationReader = {
    read: async (since) => {
      if (state.isAway) throw new Error('unavailable')
      return source.read(since)
    },
    close: () => source.close(),
  }
  const feed = createFeed({
    reader,
    log: silent,
    now: () => START_MS + state.feedOffsetMs,
  })
  const { upstream } = renderer
  const gateway = await gatewayOf({
    upstreams: { renderer: upstream, images: upstream, actions: upstream },
    manifest: MANIFEST,
    cacheBytes: limitBytes,
    pageCache: { feed, timeoutMs, now: () => START_MS + state.offsetMs },
    // A renderer that is in this process may be late: it is not frozen.
    replicaOptions: { probe: (address, port) => probeReady(address, port, PROBE_LIMIT_MS), ...replicaOptions },
    ...options,
  })
  stopAfter({
    async stop() {
      store.close()
      rmSync(dataDir, { recursive: true })
    },
  })
  await feed.confirm()
  return {
    ...gateway,
    feed,
    store,
    state,
    loseStore() {
      state.isAway = true
      state.feedOffsetMs += 501
    },
  }
}
