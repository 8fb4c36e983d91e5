// Builds the test site once and starts over it what production opens, on port 0: public port, inner port, and a real HTTP
// server instead of the actions service. Only the clock is faked.

import { rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildApp } from '@portico/build/build-app.ts'
import { type AppBuild, loadAppBuild, loadServerBundle } from '@portico/shared/kit/config/app-build.ts'
import { createFeed } from '@portico/shared/kit/feed/feed.ts'
import type { GenerationReader } from '@portico/shared/kit/feed/generations.ts'
import { startService } from '@portico/shared/kit/life/serve.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import type { ReportRequestError } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { buildOnce } from '@portico/shared/kit/testing/built-once.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { ServerBundle } from '@portico/shared/wire/bundles.ts'
import { type Change, INVALIDATION_PATH } from '@portico/shared/wire/invalidation.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import { type Entry, type EntryRequest, formatEntryTarget, parseEntry } from '@portico/shared/wire/page-entry.ts'
import { afterAll, beforeAll } from 'vitest'
import type { PageCache } from '../cache/cache.ts'
import { readRendererConfig } from '../config.ts'
import { openRenderer } from '../open.ts'
import type { PageRenderer } from '../pages/pages.ts'
import { writeSite } from './site.ts'
import { type ManifestOptions, manifestOf } from './test-manifest.ts'

export const TOKEN = 'stack-token-stack-token-stack-token'
/** Signs bound arguments and sessions. */
export const ACTION_KEY = 'bound-key-bound-key-bound-key-bound'

/** On a busy machine. */
const BUILD_TIMEOUT_MS = 120_000

interface BuiltSite {
  build: AppBuild
  bundle: ServerBundle
  remove(): Promise<void>
}

async function buildSite(files?: Record<string, string>): Promise<BuiltSite> {
  const dir = await writeSite(files)
  await buildOnce(dir, async (folder) => void (await buildApp(folder, { step: () => {}, line: () => {} })))
  const build = await loadAppBuild(dir)
  return { build, bundle: await loadServerBundle(build), remove: () => rm(dir, { recursive: true }) }
}

interface RendererOptions extends ManifestOptions {
  cache?: PageCache
  publicEnv?: PublicValues
  onRequestError?: ReportRequestError
  dataTimeoutMs?: number
  renderTimeoutMs?: number
  /** Default: without a state store, as under development. */
  reader?: GenerationReader
  publicOrigin?: string
  /** Added to the site of `rendererForTests`. */
  files?: Record<string, string>
}

export interface TestResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  body?: string
}

export interface TestRenderer {
  pages: PageRenderer
  cache: PageCache
  manifest: Manifest
  /** Sends a request to the public port with exactly this path. */
  request(path: string, options?: RequestOptions): Promise<TestResponse>
  /** Requests page data (W2). */
  requestData(path: string): Promise<TestResponse>
  /** Sends a request to the inner port with the stack's token. */
  requestInner(path: string, body: unknown, headers?: Record<string, string>): Promise<TestResponse>
  /** Requests an entry for the gateway's page cache (W8). */
  requestEntry(pattern: string, request?: Partial<EntryRequest>): Promise<Entry>
  /** Sends a GET to the inner port, with the stack's token if no other headers are given. */
  getInner(path: string, headers?: Record<string, string>): Promise<TestResponse>
  /** Sends a message of the invalidation feed to the inner port. */
  invalidate(change: Partial<Change>): Promise<TestResponse>
  /** The metrics of the inner port. */
  requestMetrics(): Promise<string>
  port: number
  /** How the server that replaces the actions service responds, and the requests that it received. */
  actions: { respond: (request: IncomingMessage, response: ServerResponse) => void; requests: IncomingMessage[] }
  lines: Record<string, unknown>[]
  /** Log lines of level error. */
  errors: Record<string, unknown>[]
  clock: { now: number }
  stop(): Promise<void>
}

/** Builds the site and starts a renderer over it for the tests of a file; removes both after the tests. */
export function rendererForTests(options: RendererOptions = {}): { site: BuiltSite; renderer: TestRenderer } {
  // Filled in before the first test runs.
  const under = {} as { site: BuiltSite; renderer: TestRenderer }
  beforeAll(async () => {
    under.site = await buildSite(options.files)
    under.renderer = await startRenderer(under.site, options)
  }, BUILD_TIMEOUT_MS)
  afterAll(async () => {
    await under.renderer.stop()
    await under.site.remove()
  })
  return under
}

export async function startRenderer(
  { build, bundle }: BuiltSite,
  options: RendererOptions = {},
): Promise<TestRenderer> {
  const manifest = manifestOf(build.manifest, options)
  const { middleware, reader, onRequestError, dataTimeoutMs, renderTimeoutMs } = options
  const lines: Record<string, unknown>[] = []
  const errors: Record<string, unknown>[] = []
  const log = createLog('renderer', 'debug', {
    write(text) {
      const line = JSON.parse(text) as Record<string, unknown>
      lines.push(line)
      if (line.level === 'error') errors.push(line)
    },
  })
  const clock = { now: 1_000_000 }
  const actions: TestRenderer['actions'] = {
    respond: (_request, response) => void response.writeHead(404).end(),
    requests: [],
  }
  const actionsServer = createServer((incoming, response) => {
    actions.requests.push(incoming)
    actions.respond(incoming, response)
  })
  await new Promise<void>((done) => actionsServer.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  const { port: actionsPort } = actionsServer.address() as AddressInfo
  const values: PublicValues = options.publicEnv ?? { GREETING: 'Hello' }
  const config = readRendererConfig({
    APP_DIR: build.dir,
    HOST: '127.0.0.1',
    PORT: '0',
    INNER_PORT: '0',
    ACTIONS_URL: `http://127.0.0.1:${actionsPort}`,
    SITE_URL: `http://localhost:${actionsPort}`,
    PUBLIC_ORIGINS: options.publicOrigin,
    ACTION_KEYS: ACTION_KEY,
    STACK_TOKEN: TOKEN,
    DRAIN_DELAY_MS: '0',
    DRAIN_DEADLINE_MS: '1000',
  })
  const opened = await openRenderer(config, log, {
    site: {
      dir: build.dir,
      manifest,
      bundle: { ...bundle, ...(middleware && { middleware }) },
      publicEnv: { values, hash: JSON.stringify(values) },
      onRequestError,
      dataTimeoutMs,
      renderTimeoutMs,
      middlewareLimitMs: 300,
    },
    feed: createFeed({ log, ...(reader && { reader }) }),
    now: () => clock.now,
    cache: options.cache,
  })
  const service = await startService({ log, ...opened })
  const port = service.ports.public!
  const requestInner: TestRenderer['requestInner'] = (path, body, headers = {}) =>
    send(service.ports.inner!, path, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const getInner: TestRenderer['getInner'] = (path, headers = { authorization: `Bearer ${TOKEN}` }) =>
    send(service.ports.inner!, path, { headers })
  return {
    // The site does not change.
    pages: opened.pages!,
    cache: opened.cache,
    getInner,
    async requestEntry(pattern, request) {
      const target = formatEntryTarget({ as: 'entry', pattern, params: {}, position: { generation: 0 }, ...request })
      if (target === undefined) throw new Error(`the params of ${pattern} are too long`)
      const { status, headers, body } = await getInner(target)
      const bytes = Buffer.from(body)
      const entry = parseEntry(bytes)
      if (!entry || Number(headers['content-length']) !== bytes.length)
        throw new Error(`status ${status} of ${target} has no entry: ${body.slice(0, 300)}`)
      return entry
    },
    manifest,
    port,
    actions,
    lines,
    errors,
    clock,
    request: (path, options) => send(port, path, options),
    requestData: (path) => send(port, dataPath(manifest, path)),
    requestInner,
    invalidate: (change) => requestInner(INVALIDATION_PATH, messageOf(change)),
    requestMetrics: async () => (await send(service.ports.inner!, '/metrics')).body,
    async stop() {
      await service.stop()
      actionsServer.closeAllConnections()
      await new Promise((done) => actionsServer.close(done))
    },
  }
}

const dataPath = ({ basePath, buildId }: Manifest, path: string) => `${basePath}/_portico/data/${buildId}${path}`

/** Sends one request on its own connection; no URL parser changes the path. */
export function send(
  port: number,
  path: string,
  { method = 'GET', headers, body }: RequestOptions = {},
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers: { ...headers }, agent: false })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    outgoing.end(body)
  })
}

/** The props that a page of the test site shows. */
export function shownProps({ body }: TestResponse): unknown {
  const text = /<pre id="props">([\s\S]*?)<\/pre>/.exec(body)?.[1]
  if (text === undefined) throw new Error(`no props are shown in ${body.slice(0, 300)}`)
  return JSON.parse(
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#x27;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )
}

/** A promise and its handle. */
export function gate<T = unknown>(): { opened: Promise<T>; open: (value: T) => void } {
  let open: (value: T) => void = () => {}
  const opened = new Promise<T>((done) => {
    open = done
  })
  return { opened, open }
}
