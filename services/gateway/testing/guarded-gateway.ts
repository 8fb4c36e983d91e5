// For tests: a gateway whose site has middleware, with a page cache, and a renderer that sends given verdicts.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { MIDDLEWARE_PATH } from '@portico/shared/wire/constants.ts'
import type { MiddlewareQuestion, MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import {
  type CachedGateway,
  type CachedGatewayOptions,
  cachedGateway,
  MANIFEST,
  type Renderer,
  rendererOf,
  TOKEN,
} from '../cache/testing/cached-gateway.ts'
import { createVerdicts } from '../middleware/verdicts.ts'
import { type GatewayOptions, send } from './gateway-fixture.ts'
import { stopAfter } from './proxy-fixture.ts'

export const NEXT: MiddlewareVerdict = { kind: 'next', responseHeaders: [] }

/** Returns a verdict, or responds itself. */
export type Decide = (question: MiddlewareQuestion, response: ServerResponse) => unknown

export interface Guard {
  renderer: Renderer
  /** May be changed. */
  decide: Decide
  questions: MiddlewareQuestion[]
  /** The paths of all questions. */
  asked(): string[]
}

export async function guardOf(options?: Parameters<typeof rendererOf>[0]): Promise<Guard> {
  const renderer = await rendererOf(options)
  const guard: Guard = {
    renderer,
    decide: () => NEXT,
    questions: [],
    asked: () => guard.questions.map(({ url }) => url),
  }
  const { upstream } = renderer
  const others = upstream.respond
  upstream.respond = (request, response, body) =>
    request.url === MIDDLEWARE_PATH ? respondVerdict(guard, request, response, body) : others(request, response, body)
  return guard
}

function respondVerdict(guard: Guard, request: IncomingMessage, response: ServerResponse, body: string): void {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end()
  const question = JSON.parse(body) as MiddlewareQuestion
  guard.questions.push(question)
  const verdict = guard.decide(question, response)
  if (verdict === undefined) return
  const json = JSON.stringify(verdict)
  response.writeHead(200, { 'content-length': Buffer.byteLength(json) }).end(json)
}

export interface GuardedGatewayOptions extends CachedGatewayOptions {
  matchers?: { source: string }[]
  askTimeoutMs?: number
  readyWaitMs?: number
}

export function guardedGateway(
  { renderer }: Pick<Guard, 'renderer'>,
  { matchers = [{ source: '/:path*' }], askTimeoutMs, readyWaitMs = 300, ...options }: GuardedGatewayOptions = {},
): Promise<CachedGateway> {
  const manifest: NonNullable<GatewayOptions['manifest']> = {
    ...MANIFEST,
    ...options.manifest,
    middleware: { matchers },
  }
  return cachedGateway(renderer, {
    openVerdicts(replicas, log) {
      const limits = { timeoutMs: askTimeoutMs, firstReadyMs: readyWaitMs }
      const verdicts = createVerdicts({ replicas, token: () => TOKEN, log, isDraining: () => false, ...limits })
      stopAfter({ stop: async () => verdicts.close() })
      return verdicts
    },
    ...options,
    manifest,
  })
}

const files = { module: '', imports: [], styles: [] }
/** A site with one page of each kind, a handler and an action; `/file.txt` is a public file. */
export const SITE = {
  isNext: true as const,
  pages: [
    { pattern: '/about', file: '', data: 'none' as const, files },
    { pattern: '/posts/[id]', file: '', data: 'static' as const, files },
    { pattern: '/me', file: '', data: 'server' as const, files },
  ],
  apiRoutes: [{ pattern: '/api/me', file: '' }],
  actions: [{ id: 'a1', file: '', name: 'save' }],
}

/** The site behind middleware that decides so. */
export async function guardedSite(decide: Decide, options: GuardedGatewayOptions = {}) {
  const guard = await guardOf()
  guard.decide = decide
  const gateway = await guardedGateway(guard, { manifest: SITE, files: { 'public/file.txt': 'file' }, ...options })
  return {
    guard,
    gateway,
    get: (path: string, init: Parameters<typeof send>[2] = {}) => send(gateway.port, path, init),
    /** What services received, without the gateway's own requests. */
    requests: () => guard.renderer.upstream.requests.filter(({ url }) => !url.startsWith('/internal')),
  }
}
