// Control endpoints of the renderer's inner port: fresh pages after an action (W6) and revalidation (D6).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendError } from '../shared/node/error-response.ts'
import { type InnerRoute, sendJson } from '../shared/node/inner-port.ts'
import { requestIdOf } from '../shared/node/request-id.ts'
import { nobodyWaits } from '../shared/node/stray-errors.ts'
import type { InnerRenderRequest, RevalidateAnswer, RevalidateRequest } from '../shared/wire/action-wire.ts'
import type { Manifest } from '../shared/wire/build-output.ts'
import { splitTarget, stripBasePath } from '../shared/wire/urls.ts'
import { cookiesOf, originOf } from './app.ts'
import type { PageCache } from './page-cache.ts'
import type { PageRenderer } from './render-page.ts'
import { createRouteLinks } from './route-links.ts'
import { sendOutcome } from './send-outcome.ts'

export interface InnerRoutesDeps {
  manifest: Manifest
  pages: PageRenderer
  cache: PageCache
}

export function createInnerRoutes({ manifest, pages, cache }: InnerRoutesDeps): InnerRoute[] {
  const linksOf = createRouteLinks(manifest)
  return [
    {
      method: 'POST',
      path: '/internal/render',
      async handler(body, request, response) {
        const wanted = parseInnerRender(body)
        if (typeof wanted === 'string') return sendError(response, 'data', { status: 400, message: wanted })
        await render(wanted, request, response)
      },
    },
    {
      method: 'POST',
      path: '/internal/revalidate',
      async handler(body, _request, response) {
        const wanted = parseRevalidate(body)
        if (typeof wanted === 'string') return sendError(response, 'data', { status: 400, message: wanted })
        const answer: RevalidateAnswer = { generation: await cache.revalidate(wanted) }
        sendJson(response, 200, answer)
      },
    },
  ]

  async function render(wanted: InnerRenderRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = splitTarget(wanted.url)
    const path = stripBasePath(pathname, manifest.basePath)
    if (path === undefined) return sendError(response, 'data', { status: 400, message: 'url: must be below basePath' })
    const headers = wanted.headers ?? {}
    const controller = new AbortController()
    response.on('close', () => {
      if (!response.writableFinished) controller.abort(nobodyWaits('the caller left'))
    })
    const outcome = await pages.render({
      url: wanted.url,
      pathname: path,
      search,
      method: 'GET',
      headers,
      cookies: cookiesOf(wanted.cookies),
      origin: originOf(headers) ?? 'http://localhost',
      requestId: requestIdOf(request),
      signal: controller.signal,
      as: wanted.as,
      whole: true,
      inner: {
        ...(wanted.status !== undefined && { status: wanted.status }),
        ...(wanted.formState !== undefined && { formState: wanted.formState }),
        ...(wanted.generation !== undefined && { generation: wanted.generation }),
      },
    })
    if (controller.signal.aborted) return void response.destroy()
    await sendOutcome(request, response, outcome, { as: wanted.as, buildId: manifest.buildId, linksOf })
  }
}

/** The request, or the rule that it breaks. */
function parseInnerRender(body: unknown): InnerRenderRequest | string {
  if (typeof body !== 'object' || body === null) return 'the body must be an object'
  const { url, as, status, formState, cookies, generation, headers } = body as Record<string, unknown>
  if (typeof url !== 'string' || !url.startsWith('/')) return 'url: must be a path'
  if (as !== 'html' && as !== 'data') return 'as: must be "html" or "data"'
  if (status !== undefined && !(Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599))
    return 'status: must be 200 to 599'
  if (formState !== undefined && !(Array.isArray(formState) && formState.length === 4))
    return 'formState: must have four members'
  if (cookies !== undefined && typeof cookies !== 'string') return 'cookies: must be a Cookie header'
  if (generation !== undefined && typeof generation !== 'number') return 'generation: must be a number'
  if (headers !== undefined && (typeof headers !== 'object' || headers === null)) return 'headers: must be an object'
  // Every member was just checked; header values are strings by the caller that holds the token.
  return body as InnerRenderRequest
}

function parseRevalidate(body: unknown): RevalidateRequest | string {
  const { paths, tags, generation } = (body ?? {}) as { paths?: unknown; tags?: unknown; generation?: unknown }
  const isStrings = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((item) => typeof item === 'string')
  if (!isStrings(paths)) return 'paths: must be a list of strings'
  if (!isStrings(tags)) return 'tags: must be a list of strings'
  if (generation !== undefined && !Number.isSafeInteger(generation)) return 'generation: must be a whole number'
  return { paths, tags, ...(typeof generation === 'number' && { generation }) }
}
