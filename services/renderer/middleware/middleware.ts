// The site's middleware (X15): runs it for one request and responds to the gateway's question about it, on the inner port (W11)
// or with the request for a page. A run has a time limit, and each failure one log line with a digest. SECURITY: without a
// verdict no page is rendered, and no verdict is given for another build. The author's response becomes a verdict in
// read-response.ts; the gateway carries the verdict out.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { readCookies } from '@portico/shared/kit/cookies/request-cookies.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { ModuleFault } from '@portico/shared/kit/http/errors.ts'
import { createDigest, requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { type AfterTasks, tasksBehind } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { InnerRoute } from '@portico/shared/kit/life/inner-port.ts'
import { traced } from '@portico/shared/kit/observe/tracing.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import {
  INTERNAL_HEADERS,
  MAX_HEAD_BYTES,
  MIDDLEWARE_LIMIT_MS,
  MIDDLEWARE_PATH,
} from '@portico/shared/wire/constants.ts'
import { controlFlowOf, type RefusalStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { formatPassedVerdict, VERDICT_IN_BODY } from '@portico/shared/wire/middleware/passed-question.ts'
import {
  changeHeaders,
  formatVerdict,
  MiddlewareFault,
  type MiddlewareVerdict,
  parseQuestion,
} from '@portico/shared/wire/middleware/verdict.ts'
import type { PassedRoute } from '@portico/shared/wire/passed-route.ts'
import { splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { contextOf, type RenderDeps } from '../context/context.ts'
import { encodeLocation, type Outcome, type PageRequest } from '../outcome/outcome.ts'
import { locationOf, withinLimit, workOf } from '../render/render.ts'
import { originOf, workFor } from '../resolve/resolve.ts'
import { type NoteReserved, readVerdict } from './read-response.ts'

/** JSON of a request's head, in which each byte of a value may become several. */
export const QUESTION_LIMIT_BYTES = 8 * MAX_HEAD_BYTES

interface MiddlewareRouteDeps {
  manifest: Pick<Manifest, 'basePath' | 'buildId' | 'semantics'>
  pages: { guard: RunMiddleware; after: AfterTasks }
  cookieSeals: CookieSeals
}

export function createMiddlewareRoute(deps: MiddlewareRouteDeps): InnerRoute {
  const decide = createDecide(deps)
  return {
    method: 'POST',
    path: MIDDLEWARE_PATH,
    bodyLimitBytes: QUESTION_LIMIT_BYTES,
    async handler(body, request, response) {
      const result = await decide(body, request, response)
      if (result) sendVerdict(response, result.json)
    },
  }
}

/** Runs middleware for the page with whose request the question was passed (X15). */
export function createPageGuard(deps: MiddlewareRouteDeps) {
  const decide = createDecide(deps)
  /** Whether the page may be rendered, with the headers as middleware leaves them; otherwise the response is sent. */
  return async (
    passed: NonNullable<PassedRoute['question']>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> => {
    const given = Object.entries(request.headers).filter(([name]) => name !== 'connection')
    const headers = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
    const result = await decide({ ...passed, method: request.method, headers }, request, response)
    if (!result) return false
    const text = formatPassedVerdict(result.verdict)
    // SECURITY: the gateway sends no page to a client without this header.
    response.setHeader(INTERNAL_HEADERS.verdict, text ?? VERDICT_IN_BODY)
    if (text === undefined) sendVerdict(response, result.json)
    else changeHeaders(request.headers, result.verdict.requestHeaders)
    return text !== undefined
  }
}

/** Returns the function that runs middleware; undefined where the response is sent, or needs none. */
function createDecide({ manifest, pages, cookieSeals }: MiddlewareRouteDeps) {
  const { basePath, buildId, semantics } = manifest
  return async (given: unknown, request: IncomingMessage, response: ServerResponse) => {
    const refuse = (message: string) => void sendError(response, 'data', { code: 'bad-request', message })
    const question = parseQuestion(given)
    if (typeof question === 'string') return refuse(question)
    const { build, method, url, dataBuild } = question
    // SECURITY: middleware of another build may let pass what the gateway's build refuses.
    if (build !== buildId) return refuse(`build: this renderer serves ${buildId}`)
    const headers = { ...question.headers }
    // Libraries read the header. The path alone decides (D1).
    delete headers[DATA_HEADER]
    if (semantics.dataHeader && dataBuild !== undefined) headers[DATA_HEADER] = '1'
    const { pathname, search } = splitTarget(url)
    const path = stripBasePath(pathname, basePath)
    const origin = originOf(headers)
    if (path === undefined || origin === undefined) return refuse('url: must be below basePath, with an origin')
    const requestId = requestIdOf(request)
    const cookieSeal = cookieSeals({ origin, basePath, requestId })
    const { signal } = workFor(response, 'the client disconnected')
    const guarded: PageRequest = {
      url,
      pathname: path,
      search,
      method,
      headers,
      cookies: readCookies(headers.cookie, cookieSeal),
      cookieSeal,
      origin,
      requestId,
      signal,
      after: tasksBehind(pages.after, requestId, response),
      as: dataBuild === undefined ? 'html' : 'data',
      whole: true,
    }
    const result = await pages.guard(guarded, dataBuild)
    if (signal.aborted) return void response.destroy()
    if (result.kind === 'verdict') return result
    return void sendError(response, 'data', { code: 'internal', digest: result.digest })
  }
}

const DATA_HEADER = 'x-nextjs-data'

function sendVerdict(response: ServerResponse, json: string): void {
  const bytes = Buffer.from(json)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

/** `json`: of the verdict, within the bounds. */
type MiddlewareResult =
  | { kind: 'verdict'; verdict: MiddlewareVerdict; json: string }
  | { kind: 'failed'; digest: string }

/** `buildId`: that in the address of page data. */
export type RunMiddleware = (request: PageRequest, buildId?: string) => Promise<MiddlewareResult>

interface MiddlewareDeps extends RenderDeps {
  /** The screen of a status. */
  refuse: (request: PageRequest, status: RefusalStatus) => Promise<Outcome>
}

const NEXT: MiddlewareVerdict = { kind: 'next', responseHeaders: [] }

/** Never rejects. */
export function createMiddlewareRunner(deps: MiddlewareDeps): RunMiddleware {
  const { manifest, bundle, middlewareLimitMs = MIDDLEWARE_LIMIT_MS } = deps
  const noteReserved = createReservedLog(deps)

  const run = async (request: PageRequest, buildId: string | undefined, signal: AbortSignal) => {
    const { middleware } = bundle
    // SECURITY: the manifest says that requests are guarded.
    if (!middleware) throw new MiddlewareFault('the bundle of the build has no middleware')
    const { method, headers, origin, after } = request
    const { basePath, trailingSlash, i18n } = manifest
    const url = origin + request.url
    const waitUntil = (promise: Promise<unknown>) => {
      // The task is run behind the response, and reports the error then.
      promise.catch(() => {})
      after?.('middleware', () => promise)
    }
    const context = { ...contextOf(deps, request, 'middleware', 'middleware'), signal }
    const verdict = await bundle.runWithContext(context, async () => {
      try {
        const given = { method, url, headers, buildId, basePath, trailingSlash, i18n, signal, waitUntil }
        return await readVerdict(await middleware(given), { url, headers, basePath }, noteReserved)
      } catch (thrown) {
        return verdictOfThrown(deps, request, thrown)
      }
    })
    const cookies = context.setCookies.map((value): [string, string] => ['set-cookie', value])
    Object.freeze(context.setCookies)
    return { ...verdict, responseHeaders: [...verdict.responseHeaders, ...cookies] }
  }

  return async (request, buildId) => {
    // Under development the manifest of the gateway may be an earlier one.
    if (!manifest.middleware) return { kind: 'verdict', verdict: NEXT, json: formatVerdict(NEXT) }
    const work = workOf(request.signal)
    const call = { route: request.pathname, name: 'middleware', work, timeoutMs: middlewareLimitMs }
    try {
      const verdict = await traced('middleware', () => withinLimit(call, () => run(request, buildId, work.signal)))
      return { kind: 'verdict', verdict, json: formatVerdict(verdict) }
    } catch (error) {
      if (request.signal.aborted) return { kind: 'failed', digest: '' }
      const isBroken = error instanceof ModuleFault
      if (isBroken && !error.noteRequest(deps.log)) return { kind: 'failed', digest: error.digest }
      const digest = isBroken ? error.digest : createDigest()
      if (!isBroken) deps.log.error({ error, digest, requestId: request.requestId }, 'middleware failed')
      // As in Next.js, also for a file with the name `middleware`.
      deps.onRequestError?.(error, request, { routePath: '/proxy', routeType: 'proxy' })
      return { kind: 'failed', digest }
    }
  }
}

/** redirect(), notFound(), unauthorized() and forbidden(); everything else is a failure. */
async function verdictOfThrown(
  deps: MiddlewareDeps,
  request: PageRequest,
  thrown: unknown,
): Promise<MiddlewareVerdict> {
  const flow = controlFlowOf(thrown)
  switch (flow?.kind) {
    case undefined:
      throw thrown
    case 'redirect': {
      const location = encodeLocation(locationOf(deps, flow))
      return { kind: 'redirect', status: flow.status, location, responseHeaders: [] }
    }
    case 'not-found':
      return { kind: 'refused', status: 404, responseHeaders: [] }
    case 'refused': {
      const screen = request.as === 'html' ? await deps.refuse(request, flow.status) : undefined
      if (screen?.kind !== 'whole') return { kind: 'refused', status: flow.status, responseHeaders: [] }
      const { policy, body } = screen
      const responseHeaders: [string, string][] = policy ? [[policy.name, policy.value]] : []
      return { kind: 'refused', status: flow.status, document: body.toString(), responseHeaders }
    }
  }
}

/** One log line for each name: middleware that sets a header of the gateway does so for every request. */
function createReservedLog({ log }: RenderDeps): NoteReserved {
  const noted = new Set<string>()
  return (name) => {
    if (noted.has(name) || noted.size >= MOST_NOTED) return
    noted.add(name)
    log.warn({ event: 'middleware-header', name }, `middleware cannot set the header ${name}, which is the gateway's`)
  }
}

/** A client may choose names that middleware copies. */
const MOST_NOTED = 100
