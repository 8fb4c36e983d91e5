// The renderer's inner port: fresh pages after an action (W6), revalidation (D6), entries for the gateway's page cache (W8),
// verdicts of middleware (W11), and the build for gateways of another one (O12). Each body is parsed here; its caller holds
// the token of the stack. What is rendered is left to pages/.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { readClientCookies } from '@portico/shared/kit/cookies/draft-cookies.ts'
import type { Feed } from '@portico/shared/kit/feed/feed.ts'
import { createInvalidationRoute } from '@portico/shared/kit/feed/invalidation-route.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { tasksBehind } from '@portico/shared/kit/life/after/after-tasks.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import type { InnerRenderRequest } from '@portico/shared/wire/action-wire.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { BUILD_PATH, DEFAULT_BODY_LIMIT_BYTES, HEADERS } from '@portico/shared/wire/constants.ts'
import { ENTRY_PATH, ENTRY_TYPE, PATHS_PATH, parseEntryQuery } from '@portico/shared/wire/page-entry.ts'
import { takesBody } from '@portico/shared/wire/routing/page-methods.ts'
import { splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { createMiddlewareRoute } from '../middleware/middleware.ts'
import type { Outcome, PageRequest } from '../outcome/outcome.ts'
import type { Entries, PageRenderer } from '../pages/pages.ts'
import { NOT_TAKEN, originOf, workFor } from '../resolve/resolve.ts'
import { createRouteLinks, sendOutcome } from '../send/send.ts'

/** A passed body in base64, with the headers of its request. */
export const RENDER_BODY_LIMIT_BYTES = 2 * DEFAULT_BODY_LIMIT_BYTES

interface InnerRoutesDeps {
  manifest: Manifest
  pages: PageRenderer
  cookieSeals: CookieSeals
  feed: Feed
}

export function createInnerRoutes({ manifest, pages, cookieSeals, feed }: InnerRoutesDeps): InnerRoute[] {
  const linksOf = createRouteLinks(manifest)
  const { buildId, csp } = manifest
  return [
    ...createEntryRoutes(pages.entries),
    createMiddlewareRoute({ manifest, pages, cookieSeals }),
    {
      method: 'POST',
      path: '/internal/render',
      bodyLimitBytes: RENDER_BODY_LIMIT_BYTES,
      async handler(body, request, response) {
        response.setHeader(HEADERS.build, buildId)
        // Actions of another build ask the next renderer (O12); nothing has run.
        if ((request.headers[HEADERS.build] ?? buildId) !== buildId)
          return sendError(response, 'data', { code: 'foreign-build' })
        const parsed = parseInnerRender(body)
        if (typeof parsed === 'string') return sendError(response, 'data', { code: 'bad-request', message: parsed })
        await render(parsed, request, response)
      },
    },
    {
      method: 'GET',
      path: BUILD_PATH,
      handler: async (_body, _request, response) => sendJson(response, 200, manifest),
    },
    createInvalidationRoute(feed),
  ]

  function renderFor({ status }: InnerRenderRequest, request: PageRequest): Promise<Outcome> {
    // An action called unauthorized() or forbidden().
    if (status === 401 || status === 403) return pages.refuse(request, status)
    // An action called notFound(): a page for all paths must not take the path of the screen.
    return pages.render(request, status === 404 ? { kind: 'no-match' } : undefined)
  }

  async function render(parsed: InnerRenderRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = splitTarget(parsed.url)
    const path = stripBasePath(pathname, manifest.basePath)
    if (path === undefined)
      return sendError(response, 'data', { code: 'bad-request', message: 'url: must be below basePath' })
    // The client's cookies after the action. Code of the site that reads the header sees the client that `cookies()` shows.
    const headers = { ...parsed.headers, ...(parsed.cookies !== undefined && { cookie: parsed.cookies }) }
    const requestId = requestIdOf(request)
    const origin = originOf(headers) ?? 'http://localhost'
    const cookieSeal = cookieSeals({ origin, basePath: manifest.basePath, requestId })
    const controller = workFor(response, 'the caller disconnected')
    const pageRequest: PageRequest = {
      url: parsed.url,
      pathname: path,
      search,
      method: parsed.posted === undefined ? 'GET' : 'POST',
      headers,
      ...readClientCookies(parsed.cookies, cookieSeal),
      origin,
      requestId,
      signal: controller.signal,
      after: tasksBehind(pages.after, requestId, response),
      as: parsed.as,
      whole: true,
      ...(parsed.posted !== undefined && { stream: streamOf(parsed.posted) }),
      inner: {
        ...(parsed.status !== undefined && { status: parsed.status }),
        ...(parsed.formState !== undefined && { formState: parsed.formState }),
        ...(parsed.generation !== undefined && { epoch: parsed.epoch, generation: parsed.generation }),
      },
    }
    if (parsed.posted !== undefined) {
      const { resolution } = pages.resolve(pageRequest, {})
      if (!takesBody(resolution, pageRequest, manifest.semantics)) return sendError(response, 'document', NOT_TAKEN)
    }
    const outcome = await renderFor(parsed, pageRequest)
    if (controller.signal.aborted) return void response.destroy()
    await sendOutcome(request, response, outcome, { as: parsed.as, buildId, screenPolicy: csp.screen, linksOf })
  }
}

function streamOf(posted: string): Readable {
  const bytes = Buffer.from(posted, 'base64')
  return Readable.from(bytes.length > 0 ? [bytes] : [], { objectMode: false })
}

/** The parsed request, or the rule that the request breaks. */
function parseInnerRender(body: unknown): InnerRenderRequest | string {
  if (typeof body !== 'object' || body === null) return 'the body must be an object'
  const { url, as, status, formState, cookies, epoch, generation, headers, posted } = body as Record<string, unknown>
  if (typeof url !== 'string' || !url.startsWith('/')) return 'url: must be a path'
  if (as !== 'html' && as !== 'data') return 'as: must be "html" or "data"'
  if (status !== undefined && !(Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599))
    return 'status: must be 200 to 599'
  if (formState !== undefined && !(Array.isArray(formState) && formState.length === 4))
    return 'formState: must have four members'
  if (cookies !== undefined && typeof cookies !== 'string') return 'cookies: must be a Cookie header'
  if (epoch !== undefined && typeof epoch !== 'string') return 'epoch: must be a string'
  if (generation !== undefined && typeof generation !== 'number') return 'generation: must be a number'
  if (headers !== undefined && (typeof headers !== 'object' || headers === null)) return 'headers: must be an object'
  if (posted !== undefined && typeof posted !== 'string') return 'posted: must be a body in base64'
  // Every member was checked above; the caller holds the token and sends header values as strings.
  return body as InnerRenderRequest
}

function createEntryRoutes(entries: Entries): InnerRoute[] {
  return [
    {
      method: 'GET',
      path: ENTRY_PATH,
      async handler(_body, request, response) {
        const refuse = (message: string) => sendError(response, 'data', { code: 'bad-request', message })
        const parsed = parseEntryQuery(splitTarget(request.url ?? '').search)
        if (typeof parsed === 'string') return refuse(parsed)
        const page = entries.pageOf(parsed)
        if (page === 'unknown-page') return sendError(response, 'data', { code: 'not-found' })
        if (page === 'wrong-params') return refuse('params: must fit the route')
        const bytes = await entries.entryOf(page, parsed, requestIdOf(request))
        response.writeHead(200, {
          'content-type': ENTRY_TYPE,
          'content-length': bytes.length,
          'cache-control': 'no-store',
        })
        response.end(bytes)
      },
    },
    {
      method: 'GET',
      path: PATHS_PATH,
      async handler(_body, _request, response) {
        sendJson(response, 200, await entries.knownPaths())
      },
    },
  ]
}
