// For tests: a gateway whose site has middleware, with a page cache, and a renderer that sends given verdicts.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { INTERNAL_HEADER_PREFIX, INTERNAL_HEADERS, MIDDLEWARE_PATH } from '@portico/shared/wire/constants.ts'
import { formatPassedVerdict, VERDICT_IN_BODY } from '@portico/shared/wire/middleware/passed-question.ts'
import {
  changeHeaders,
  type MiddlewareQuestion,
  type MiddlewareVerdict,
} from '@portico/shared/wire/middleware/verdict.ts'
import { type PassedRoute, parsePassedRoute } from '@portico/shared/wire/passed-route.ts'
import { expect } from 'vitest'
import {
  type CachedGateway,
  type CachedGatewayOptions,
  cachedGateway,
  MANIFEST,
  type Renderer,
  rendererOf,
} from '../pages/testing/cached-gateway.ts'
import { type GatewayOptions, ofClients, send, TOKEN } from './gateway-fixture.ts'

/** What the gateway has decided about a request, as the service that responds reads it. */
export function passedIn(headers: IncomingMessage['headers'] | undefined): PassedRoute {
  return parsePassedRoute(headers?.[INTERNAL_HEADERS.route]?.toString() ?? '{}') ?? expect.unreachable()
}

export const NEXT: MiddlewareVerdict = { kind: 'next', responseHeaders: [] }

/** Returns a verdict, or responds itself. */
export type Decide = (question: MiddlewareQuestion, response: ServerResponse) => unknown

export interface Guard {
  renderer: Renderer
  /** May be changed. */
  decide: Decide
  questions: MiddlewareQuestion[]
  /** Number of the questions that came with the request for a page. */
  withPage: number
  /** The paths of all questions. */
  asked(): string[]
  /** Responds to everything else; may be changed. */
  respond: Renderer['upstream']['respond']
}

export async function guardOf(options?: Parameters<typeof rendererOf>[0]): Promise<Guard> {
  const renderer = await rendererOf(options)
  const guard: Guard = {
    renderer,
    decide: () => NEXT,
    questions: [],
    withPage: 0,
    asked: () => guard.questions.map(({ url }) => url),
    respond: renderer.upstream.respond,
  }
  const { upstream } = renderer
  upstream.respond = (request, response, body) => {
    const passed = passedIn(request.headers).question
    if (request.url === MIDDLEWARE_PATH) respondVerdict(guard, request, response, body)
    else if (passed === undefined || decideWithPage(guard, request, response, passed))
      guard.respond(request, response, body)
  }
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

/** As a renderer does: whether the page follows. */
function decideWithPage(guard: Guard, request: IncomingMessage, response: ServerResponse, passed: object): boolean {
  const headers = Object.entries(request.headers).filter(([name]) => !name.startsWith(INTERNAL_HEADER_PREFIX))
  const known = { method: request.method, headers: Object.fromEntries(headers) }
  const question = { ...passed, ...known } as MiddlewareQuestion
  guard.questions.push(question)
  guard.withPage++
  const verdict = guard.decide(question, response) as MiddlewareVerdict | undefined
  if (verdict === undefined) return false
  const text = formatPassedVerdict(verdict)
  response.setHeader(INTERNAL_HEADERS.verdict, text ?? VERDICT_IN_BODY)
  if (text !== undefined) {
    changeHeaders(request.headers, verdict.requestHeaders)
    return true
  }
  // No request for the page. Node sends no body with a response to HEAD.
  guard.renderer.upstream.requests.pop()
  const json = JSON.stringify(verdict)
  response.writeHead(200, { 'content-length': Buffer.byteLength(json) }).end(json)
  return false
}

interface GuardedGatewayOptions extends CachedGatewayOptions {
  /** None: a site without middleware. */
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
    ...(matchers.length > 0 && { middleware: { matchers } }),
  }
  return cachedGateway(renderer, {
    verdictLimits: { timeoutMs: askTimeoutMs, firstReadyMs: readyWaitMs },
    ...options,
    manifest,
  })
}

const files = { module: '', imports: [], styles: [] }
/** A site with one page of each kind, a handler and an action; `/file.txt` is a public file. */
export const SITE = {
  semantics: { dataUrls: true },
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
    requests: () => ofClients(guard.renderer.upstream),
  }
}
