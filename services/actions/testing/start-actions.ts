// Starts the whole service on port 0 for tests, with a hand-written bundle and a fake renderer that records its
// requests. Only time and faults are faked: HTTP, stores and files are real.

import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import type { ReportRequestError } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { createBoundArgs } from '@portico/shared/kit/secrets/bound-args.ts'
import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import type { InnerRenderRequest } from '@portico/shared/wire/action-wire.ts'
import {
  ACTION_OPTIONS,
  type ActionFunction,
  type ActionOptions,
  type ActionsBundle,
  type ApiModule,
  type RequestContext,
} from '@portico/shared/wire/bundles.ts'
import type { CookieSeal } from '@portico/shared/wire/cookies/cookie-seal.ts'
import { INVALIDATION_PATH, type InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'
import { afterEach } from 'vitest'
import { type Clock, systemClock } from '../clock.ts'
import { readActionsConfig } from '../config.ts'
import { openActions } from '../open.ts'
import { loadSite, type Site, type SiteManifest } from '../site/site.ts'
import type { StoreDeps } from '../store/store.ts'
import type { Budgets, SubmissionStore } from '../store/submission-store.ts'
import type { BeginDeps } from '../submission/submit-once.ts'
import { createMemoryStore } from './memory-store.ts'

export const TOKEN = 'stack-token-stack-token-stack-token'
const ACTION_KEY = 'action-key-action-key-action-key-01'

const contexts = new AsyncLocalStorage<RequestContext>()

/** The context of the running request, as for the functions of the runtime. */
export function currentContext(): RequestContext {
  const context = contexts.getStore()
  if (!context) throw new Error('outside a request')
  return context
}

/** Like the result of `defineAction`: the handler with its options. */
export function defined(
  options: ActionOptions,
  handler: (input: unknown, more: { previous: unknown }) => unknown,
): ActionFunction {
  // The service calls the handler as (input, { previous }), which the wider type includes.
  return Object.assign(handler as (...args: unknown[]) => unknown, { [ACTION_OPTIONS]: options })
}

/** The policy of the default error screens in tests. */
export const SCREEN_POLICY = { name: 'content-security-policy-report-only', value: "default-src 'none'" } as const

interface RenderReply {
  status: number
  headers: Record<string, string | string[]>
  body: string
}

export interface FakeRenderer {
  renders: { body: InnerRenderRequest; headers: IncomingHttpHeaders }[]
  invalidations: InvalidationMessage[]
  /** Requests in order of arrival, like ['invalidate', 'render']. */
  order: string[]
  reply: (request: InnerRenderRequest) => RenderReply | Promise<RenderReply>
  port: number
  close(): Promise<void>
}

export async function startFakeRenderer(): Promise<FakeRenderer> {
  const fake: FakeRenderer = {
    renders: [],
    invalidations: [],
    order: [],
    reply: (request) =>
      request.as === 'data'
        ? {
            status: 200,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ kind: 'page', route: '/', params: {}, props: { n: 1 } }),
          }
        : {
            status: request.status ?? 200,
            headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "script-src 'nonce-x'" },
            body: `<!DOCTYPE html><p>${JSON.stringify(request.formState ?? null)}</p>`,
          },
    port: 0,
    close: () => closeServer(server),
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.headers.authorization !== `Bearer ${TOKEN}` || request.method !== 'POST') {
      response.writeHead(401).end()
      return
    }
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    fake.order.push(request.url?.split('/').pop() ?? '')
    if (request.url === INVALIDATION_PATH) {
      // The service of this test sent the body.
      fake.invalidations.push(body as InvalidationMessage)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      return
    }
    fake.renders.push({ body: body as InnerRenderRequest, headers: request.headers })
    const reply = await fake.reply(body as InnerRenderRequest)
    // A renderer of the build that the request names.
    const build = request.headers['portico-build']
    response.writeHead(reply.status, { ...(build !== undefined && { 'portico-build': build }), ...reply.headers })
    response.end(reply.body)
  })
  fake.port = await listen(server)
  return fake
}

export interface StartOptions {
  actions?: Record<string, ActionFunction>
  api?: Record<string, ApiModule>
  /** Sources of the matchers of middleware. */
  guarded?: string[]
  pages?: string[]
  /** Pages that read forms themselves, with `crossOrigin`. */
  formPages?: Record<string, boolean>
  semantics?: Semantics
  basePath?: string
  trailingSlash?: boolean
  publicOrigins?: string[]
  clock?: Clock
  store?: SubmissionStore | ((deps: StoreDeps) => SubmissionStore)
  /** How submissions wait for a store that is away. */
  waiting?: Pick<BeginDeps, 'storeWaitMs' | 'room'>
  /** Budgets of the store in memory. */
  budgets?: Budgets
  placesPerClient?: number
  actionKeys?: string[]
  /** Why modules cannot be loaded, as under development. */
  fault?: Error
  /** What cannot be loaded. */
  broken?: Site['broken']
  /** `onRequestError` of the site. */
  onRequestError?: ReportRequestError
}

export interface TestActions {
  url: string
  port: number
  renderer: FakeRenderer
  /** Parsed log lines. */
  lines: Record<string, unknown>[]
  boundArgs: ReturnType<typeof createBoundArgs>
  /** That of requests to `url`. */
  cookieSeal: CookieSeal
  metrics(): Promise<string>
  /** The service is about to stop. */
  drain(): void
  /** Names of the files in the upload folder. */
  uploads(): Promise<string[]>
  stop(): Promise<void>
}

/** Returns `start`; what a test started stops after the test. */
export function useActions(): (options: StartOptions) => Promise<TestActions> {
  let service: TestActions | undefined
  afterEach(async () => {
    await service?.stop()
    service = undefined
  })
  return async (options) => {
    service = await startActions(options)
    return service
  }
}

/** Starts service and renderer; `stop` ends both. */
export async function startActions(options: StartOptions = {}): Promise<TestActions> {
  const renderer = await startFakeRenderer()
  const lines: Record<string, unknown>[] = []
  const log = createLog('actions', 'info', { write: (line) => void lines.push(JSON.parse(line)) })
  const dir = await mkdtemp(join(tmpdir(), 'portico-actions-'))
  const { clock = systemClock, store, budgets, waiting, placesPerClient, publicOrigins = [] } = options
  const { actionKeys = [ACTION_KEY], basePath = '' } = options
  const { fault, broken, onRequestError } = options
  const loaded = await loadSite(manifestOf(options), bundleOf(options))
  const site = { ...loaded, onRequestError, ...(fault && { fault }), ...(broken && { broken }) }
  const config = readActionsConfig({
    APP_DIR: dir,
    DATA_DIR: dir,
    CACHE_DIR: dir,
    SITE_URL: 'http://127.0.0.1:2',
    RENDERER_URL: 'http://127.0.0.1:2',
    ACTIONS_URL: 'http://127.0.0.1:2',
    ACTION_KEYS: actionKeys.join(','),
    STACK_TOKEN: TOKEN,
    PUBLIC_ORIGINS: publicOrigins.join(','),
  })
  // Changes reach the renderer alone, which counts them.
  const innerUrls = {
    rendererInnerUrls: [new URL(`http://127.0.0.1:${renderer.port}`)],
    actionsInnerUrls: [],
    gatewayInnerUrls: [],
  }
  const opened = await openActions({ ...config, ...innerUrls }, log, {
    clock,
    site: { site: () => site, buildId: loaded.buildId },
    openSubmissions:
      typeof store === 'function'
        ? store
        : (deps) => store ?? createMemoryStore({ ...deps, ...(budgets && { budgets }) }),
    waiting,
    placesPerClient,
  })
  // A store that is away is what some tests are about.
  await opened.warm?.().catch(() => {})
  const server = createServer(opened.listeners[0]!.handler)
  const port = await listen(server)
  const keyring = createFixedKeyring(actionKeys)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    renderer,
    lines,
    boundArgs: createBoundArgs(keyring),
    cookieSeal: createCookieSeals({ keyring, now: clock.now, log })({
      origin: `http://127.0.0.1:${port}`,
      basePath,
      requestId: 'test',
    }),
    metrics: () => opened.registry.metrics(),
    uploads: () => readdir(join(dir, 'uploads')),
    drain: () => opened.onDrain?.(),
    async stop() {
      await closeServer(server)
      await renderer.close()
      await opened.close?.()
      await rm(dir, { recursive: true })
    },
  }
}

function manifestOf(options: StartOptions): SiteManifest {
  const { pages = ['/', '/places/[slug]'], formPages = {}, actions = {}, api = {}, guarded, basePath = '' } = options
  const files = { module: '', imports: [], styles: [] }
  return {
    buildId: 'testbuild',
    basePath,
    trailingSlash: options.trailingSlash ?? false,
    semantics: options.semantics ?? {},
    csp: { site: null, routes: {}, screen: SCREEN_POLICY },
    publicFiles: { '/licence': { size: 1, type: 'text/plain', etag: '"1"', encodings: {} } },
    rewrites: Object.keys(formPages).map((page) => ({ source: `/alias${page}`, destination: page })),
    pages: [
      ...pages.map((pattern) => ({ pattern, file: `pages${pattern}.tsx`, data: 'none' as const, files })),
      ...Object.entries(formPages).map(([pattern, crossOrigin]) => ({
        pattern,
        file: `pages${pattern}.tsx`,
        data: 'server' as const,
        methods: 'all' as const,
        ...(crossOrigin && { crossOrigin }),
        files,
      })),
    ],
    ...(guarded && { middleware: { matchers: guarded.map((source) => ({ source })) } }),
    apiRoutes: Object.keys(api).map((pattern) => ({ pattern, file: `pages${pattern}.ts` })),
    actions: Object.entries(actions).map(([id, run]) => {
      const repeat = run[ACTION_OPTIONS]?.repeat
      return { id, file: 'actions.ts', name: id, ...(repeat && { repeat }) }
    }),
  }
}

function bundleOf({ actions = {}, api = {} }: StartOptions): ActionsBundle {
  return {
    actions: Object.fromEntries(Object.entries(actions).map(([id, run]) => [id, { name: id, load: async () => run }])),
    apiRoutes: Object.fromEntries(Object.entries(api).map(([pattern, module]) => [pattern, async () => module])),
    runWithContext: (context, run) => contexts.run(context, run),
  }
}

function listen(server: Server): Promise<number> {
  // A TCP server that listens has an AddressInfo.
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port)))
}

function closeServer(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done())
    server.closeAllConnections()
  })
}
