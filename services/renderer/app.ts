// The public listener of the renderer: pages as HTML, page data as JSON. The path alone decides the representation
// (D1).

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { readClientCookies } from '@portico/shared/kit/cookies/draft-cookies.ts'
import { errorContentOf, sendError } from '@portico/shared/kit/http/error-response.ts'
import type { ErrorContent } from '@portico/shared/kit/http/errors.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { tasksBehind } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { logRequest, type OwnFields, onRequestEnd } from '@portico/shared/kit/observe/request-log.ts'
import { createAbortError } from '@portico/shared/kit/observe/stray-errors.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { HEADERS, INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { withoutWhole } from '@portico/shared/wire/deferred/whole.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { type PassedRoute, takePassedRoute } from '@portico/shared/wire/passed-route.ts'
import { isOwnPath, parseDataPath, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { createPageGuard } from './middleware/middleware.ts'
import { isReading, type PageRequest } from './outcome/outcome.ts'
import type { PageRenderer } from './pages/pages.ts'
import { type IsCrawler, NOT_TAKEN, originOf, refusalOf, workFor } from './resolve/resolve.ts'
import { createRouteLinks, sendOutcome } from './send/send.ts'

export interface RendererAppDeps {
  manifest: Manifest
  pages: PageRenderer
  cookieSeals: CookieSeals
  log: Log
  /** Clients that get documents whole; none under development, where an author looks at what streams (W12). */
  isCrawler: IsCrawler
  /** The document instead of the default screen, when no page of the app folder can be rendered. Development only. */
  failureDocument?: ((requestId: string) => string) | undefined
  /** Whether middleware of this build may run for a path with basePath; absent where no gateway runs it before. */
  isGuarded?: ((pathname: string) => boolean) | undefined
  /** Forms of other origins are refused; empty: of other hosts. */
  publicOrigins: readonly string[]
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  /** Fields of the request's log line. */
  logged: OwnFields
}

export function createRendererApp(deps: RendererAppDeps): RequestListener {
  const { manifest, pages, cookieSeals, log, isCrawler, failureDocument } = deps
  const { buildId, basePath, csp, semantics } = manifest
  const passesMiddleware = createPageGuard({ manifest, pages, cookieSeals })
  const sending = { buildId, screenPolicy: csp.screen, linksOf: createRouteLinks(manifest), failureDocument }

  const respond = async (exchange: Exchange): Promise<void> => {
    const { request, response } = exchange
    const { pathname, search, isWholeRequested } = readTarget(request.url)
    const path = stripBasePath(pathname, basePath)
    const data = path === undefined ? undefined : parseDataPath(path, semantics)
    const as = data?.as ?? (path !== undefined && isOwnPath(path, semantics) ? 'data' : 'html')
    if (as !== 'html' && !isReading(request.method ?? 'GET')) return refuse(response, as, NOT_TAKEN)
    if (data) {
      if (data.buildId !== buildId) return sendForeignBuild(response, buildId)
      const url = basePath + data.pathname + search
      return send(exchange, { as, pathname: data.pathname, search, url, isWholeRequested })
    }
    if (path === undefined || as !== 'html') return refuse(response, as, { code: 'not-found' })
    return send(exchange, { as, pathname: path, search, url: pathname + search, isWholeRequested })
  }

  const refuse = (response: ServerResponse, as: PageRequest['as'], error: ErrorContent): void => {
    response.setHeader(HEADERS.build, buildId)
    sendError(response, as === 'html' ? 'document' : 'data', { screenPolicy: csp.screen, ...error })
  }

  const send = async (
    { request, response, requestId, logged }: Exchange,
    target: Pick<PageRequest, 'as' | 'pathname' | 'search' | 'url' | 'isWholeRequested'>,
  ): Promise<void> => {
    // Node joins repeated headers; the only list, set-cookie, belongs to responses.
    const headers = request.headers as Record<string, string>
    const passed = takePassedRoute(headers)
    const decided = passed === 'malformed' ? {} : passed
    if (isUndecided(decided, target.pathname, deps))
      return target.as === 'html' ? refuse(response, 'html', UNDECIDED) : sendForeignBuild(response, buildId)
    if (decided.question && !(await passesMiddleware(decided.question, request, response))) return
    const origin = originOf(request.headers)
    if (origin === undefined) return refuse(response, target.as, { code: 'bad-request' })
    const controller = workFor(response, 'the client disconnected')
    const pageRequest: PageRequest = {
      ...target,
      method: request.method ?? 'GET',
      headers,
      ...readClientCookies(request.headers.cookie, cookieSeals({ origin, basePath, requestId })),
      origin,
      requestId,
      signal: controller.signal,
      after: tasksBehind(pages.after, requestId, response),
      whole: target.isWholeRequested === true || isCrawler(request.headers['user-agent'] ?? ''),
      stream: request,
    }
    const resolved = pages.resolve(pageRequest, passed)
    const refusal = refusalOf(request, resolved.resolution, deps)
    if (refusal) return refuse(response, target.as, refusal)
    const outcome = await pages.render(pageRequest, resolved.resolution)
    logged.route = outcome.route
    logged.resolvedBy = resolved.by
    logged.resolvedAgain = resolved.fault
    logged.cache = outcome.kind === 'cached' ? outcome.verdict : undefined
    if (controller.signal.aborted) return void response.destroy()
    await sendOutcome(request, response, outcome, { ...sending, as: target.as, resolved })
    // A streamed page has begun to render a body, which HEAD does not need.
    if (request.method === 'HEAD') controller.abort(createAbortError('HEAD has no body'))
  }

  return (request, response) => {
    const { method = 'GET', url = '/' } = request
    const requestId = requestIdOf(request)
    const logged: OwnFields = {}
    // The gateway's line of the same request is enough by default: a second line costs a quarter of a cached page.
    onRequestEnd(response, (end) =>
      logRequest(log, { method, path: splitTarget(url).pathname, requestId }, end, logged, 'debug'),
    )
    respond({ request, response, requestId, logged }).catch((error: unknown) =>
      sendError(response, 'document', { screenPolicy: csp.screen, ...errorContentOf(error, log, request) }),
    )
  }
}

const UNDECIDED: ErrorContent = { code: 'middleware-failed', headers: { 'retry-after': '1' } }

/** SECURITY: during an update a gateway of another build has other middleware, or none. `pathname` is below basePath. */
function isUndecided(
  { question, guard }: PassedRoute,
  pathname: string,
  { manifest: { buildId, basePath }, isGuarded }: RendererAppDeps,
): boolean {
  return question === undefined && guard !== buildId && isGuarded?.(basePath + pathname) === true
}

/** Path and query, without the parameter of W12. */
function readTarget(url = '/') {
  const target = splitTarget(url)
  const search = withoutWhole(target.search)
  return { ...target, search, isWholeRequested: search !== target.search }
}

function sendForeignBuild(response: ServerResponse, buildId: string): void {
  const body = '{"kind":"foreign-build"}'
  // With setHeader, because request logs read the header.
  response.setHeader(INTERNAL_HEADERS.code, 'foreign-build' satisfies ErrorCode)
  response.writeHead(404, {
    [HEADERS.build]: buildId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
  })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}
