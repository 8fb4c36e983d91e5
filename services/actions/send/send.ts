// Turns a submission's result into a response: JSON for scripts (W4), 303 or a page for browsers without JavaScript,
// with fresh data of a renderer of the same build (renderer-client.ts); and passes a form that calls no action to its
// page as it arrived (compatibility mode, X7). What is sent was decided in submission/.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import type { ErrorContent } from '@portico/shared/kit/http/errors.ts'
import type { ActionResponse, InnerRenderRequest } from '@portico/shared/wire/action-wire.ts'
import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import type { InvalidInput } from '@portico/shared/wire/bundles.ts'
import { CACHE_NONE } from '@portico/shared/wire/caching.ts'
import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { REFUSAL_CODES } from '@portico/shared/wire/errors/control-flow.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { clientFacts } from '@portico/shared/wire/patterns/conditions.ts'
import type { PolicyHeader } from '@portico/shared/wire/policy/content-security-policy.ts'
import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import {
  appHeaders,
  type Exchange,
  header,
  mergeCookies,
  type ReadSubmission,
  type RequestFacts,
} from '../request/request.ts'
import type { ActionResult, SubmitResult } from '../submission/submission.ts'
import type { RenderedPage, RendererClient } from './renderer-client.ts'

export { createRendererClient, type RendererClient } from './renderer-client.ts'

/** With `portico-fresh: none` the response has no page data. */
const FRESH_HEADER = 'portico-fresh'
/** Seconds after which a refused submission may be sent again. */
const RETRY_AFTER_SECONDS = '2'

interface ResponseTarget {
  request: IncomingMessage
  response: ServerResponse
  facts: RequestFacts
  requestId: string
  submission: ReadSubmission
  basePath: string
  screenPolicy: PolicyHeader | null
  renderer: RendererClient
  now: () => number
  /** Set-Cookie value, sent with every response: an error screen, too, completes a submission (A5). */
  clientCookie?: string
}

/** Sends the response for every result of a submission. */
export async function sendResult(submitted: SubmitResult, to: ResponseTarget): Promise<void> {
  const { response, submission } = to
  if (to.clientCookie !== undefined) response.appendHeader('set-cookie', to.clientCookie)
  switch (submitted.kind) {
    case 'result':
      // Before the service's own: framing, type and caching of the response are never the action's.
      for (const [name, value] of Object.entries(submitted.result.headers ?? {})) response.setHeader(name, value)
      for (const cookie of submitted.result.setCookies) response.appendHeader('set-cookie', cookie)
      return submission.isScripted ? sendScripted(submitted.result, to) : sendPlain(submitted.result, to)
    case 'done':
      if (!submission.isScripted) return sendSeeOther(response, submitted.location ?? to.facts.url)
      return sendActionResponse(response, submitted)
    case 'other-body': {
      if (!submission.isScripted) return sendFailure(to, { code: 'submission-changed' })
      const { text: message = '' } = ERROR_CATALOGUE['submission-changed']
      return sendActionResponse(response, { kind: 'invalid', issues: [{ path: '', message }] }, 'submission-changed')
    }
    case 'unknown':
      if (submission.isScripted) return sendActionResponse(response, { kind: 'unknown' }, 'outcome-unknown')
      return sendFailure(to, { code: 'outcome-unknown' })
    case 'still-running':
      return sendFailure(to, { code: 'still-running', headers: RETRY_AFTER })
    case 'unavailable':
      return sendFailure(to, { code: 'state-unavailable', headers: RETRY_AFTER })
  }
}

const RETRY_AFTER = { 'retry-after': RETRY_AFTER_SECONDS }

async function sendScripted(result: ActionResult, to: ResponseTarget): Promise<void> {
  const { response } = to
  const { outcome } = result
  switch (outcome.kind) {
    case 'value': {
      const wantsPage = header(to.request, FRESH_HEADER) !== 'none'
      const fresh = wantsPage ? await to.renderer.freshData(renderRequest('data', result, to), to.requestId) : undefined
      for (const cookie of fresh?.setCookies ?? []) response.appendHeader('set-cookie', cookie)
      // Concatenated, because value and page are already JSON text.
      const value = outcome.json === undefined ? '' : `,"value":${outcome.json}`
      const omitted = outcome.omitted ? ',"omitted":true' : ''
      const page = fresh ? `,"page":${fresh.json}` : ''
      return sendJsonText(
        response,
        200,
        `{"kind":"value"${value}${omitted}${page},"revalidated":${result.revalidated}}`,
      )
    }
    case 'redirect':
      return sendActionResponse(response, { kind: 'redirect', location: outcome.location, status: 303 })
    case 'not-found':
      return sendActionResponse(response, { kind: 'not-found' }, 'not-found')
    case 'refused':
      return sendActionResponse(response, { kind: 'refused' }, REFUSAL_CODES[outcome.status])
    case 'invalid':
      return sendActionResponse(response, { kind: 'invalid', issues: outcome.issues }, 'invalid-input')
    case 'error':
      return sendException(outcome.digest, to)
    case 'late':
      return sendFailure(to, { code: 'handler-late' })
  }
}

async function sendPlain(result: ActionResult, to: ResponseTarget): Promise<void> {
  const { response, submission, facts } = to
  const { outcome } = result
  switch (outcome.kind) {
    case 'value': {
      if (!submission.state || outcome.omitted) return sendSeeOther(response, facts.url)
      const value: unknown = outcome.json === undefined ? undefined : JSON.parse(outcome.json)
      // The action has run; without a renderer the client is redirected to the page, which shows the stored data.
      return (await sendStatePage(200, value, result, to)) ? undefined : sendSeeOther(response, facts.url)
    }
    case 'redirect':
      return sendSeeOther(response, outcome.location)
    case 'not-found':
      return sendScreen('not-found', { ...renderRequest('html', result, to), url: `${to.basePath}/404` }, to)
    case 'refused':
      return sendScreen(REFUSAL_CODES[outcome.status], renderRequest('html', result, to), to)
    case 'invalid': {
      const input: InvalidInput = { issues: outcome.issues, fields: submission.fields }
      response.setHeader(INTERNAL_HEADERS.code, 'invalid-input' satisfies ErrorCode)
      if (submission.state && (await sendStatePage(422, input, result, to))) return
      return sendIssues(input, to)
    }
    case 'error':
      return sendException(outcome.digest, to)
    case 'late':
      return sendFailure(to, { code: 'handler-late', message: ERROR_CATALOGUE['outcome-unknown'].text })
  }
}

/** Sends the app folder's screen; the default screen when the renderer returned no page. */
async function sendScreen(code: ErrorCode, request: InnerRenderRequest, to: ResponseTarget): Promise<void> {
  const { status } = ERROR_CATALOGUE[code]
  to.response.setHeader(INTERNAL_HEADERS.code, code)
  const page = await to.renderer.page({ ...request, status }, to.requestId)
  return page ? sendPage(page, status, to) : sendFailure(to, { code })
}

/** Sends the page with its form state (A1); false when the renderer returned no page. */
async function sendStatePage(
  status: number,
  value: unknown,
  result: ActionResult,
  to: ResponseTarget,
): Promise<boolean> {
  const { state, action } = to.submission
  if (!state) return false
  const page = await to.renderer.page(
    { ...renderRequest('html', result, to), status, formState: [value, state.key, action.id, state.boundCount] },
    to.requestId,
  )
  if (page) sendPage(page, page.status, to)
  return page !== undefined
}

function renderRequest(as: 'html' | 'data', result: ActionResult, to: ResponseTarget): InnerRenderRequest {
  const cookies = mergeCookies(to.facts.cookies, result.setCookies, to.now())
  return {
    url: to.facts.url,
    as,
    headers: appHeaders(to.request, { forPage: true }),
    ...(cookies === undefined ? {} : { cookies }),
    ...result.position,
  }
}

/** Headers of a rendered document that are sent to the client. */
const RELAYED_HEADERS: readonly string[] = [
  'content-type',
  'content-security-policy',
  'content-security-policy-report-only',
  'link',
  'x-robots-tag',
  'vary',
]

function sendPage(page: RenderedPage, status: number, { response }: ResponseTarget): void {
  response.statusCode = status
  for (const name of RELAYED_HEADERS) {
    const value = page.headers[name]
    if (value !== undefined) response.setHeader(name, value)
  }
  for (const cookie of page.headers['set-cookie'] ?? []) response.appendHeader('set-cookie', cookie)
  response.setHeader('cache-control', CACHE_NONE)
  response.setHeader('content-length', page.body.length)
  response.end(page.body)
}

function sendSeeOther(response: ServerResponse, location: string): void {
  // SECURITY: a POST to the path "//host/…" must not get a Location on another origin.
  const safe = location.replace(/^[/\\]{2,}/, '/')
  response.writeHead(303, { location: safe, 'cache-control': CACHE_NONE, 'content-length': 0 })
  response.end()
}

/** run.ts has logged the error with this digest. */
function sendException(digest: string, to: ResponseTarget): void {
  sendFailure(to, { code: 'internal', digest })
}

/** Sends the issues as a plain list, for forms without form state. The browser's back button keeps the typed text. */
function sendIssues({ issues }: InvalidInput, to: ResponseTarget): void {
  sendFailure(to, { code: 'invalid-input', issues })
}

/** sendError removes the headers that were set before; the client's cookie must be sent: see `clientCookie`. */
function sendFailure(
  { response, submission, clientCookie, screenPolicy }: ResponseTarget,
  content: ErrorContent,
): void {
  const headers = { ...content.headers, 'set-cookie': clientCookie }
  sendError(response, submission.isScripted ? 'data' : 'document', { screenPolicy, ...content, headers })
}

/** Sends one of the responses of W4; `code` is the code of a response that is no success. */
export function sendActionResponse(response: ServerResponse, body: ActionResponse, code?: ErrorCode): void {
  if (code) response.setHeader(INTERNAL_HEADERS.code, code)
  sendJsonText(response, code ? ERROR_CATALOGUE[code].status : 200, JSON.stringify(body))
}

function sendJsonText(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
    'cache-control': CACHE_NONE,
    'x-content-type-options': 'nosniff',
  })
  response.end(json)
}

/** The page of the request, if the page takes forms. */
export function findFormPage({ request, site, facts }: Exchange): PageEntry | undefined {
  const { pathname, search } = facts
  const path = stripBasePath(pathname, site.basePath)
  if (!site.resolvePage || path === undefined) return undefined
  const found = site.resolvePage(path, search, clientFacts({ ...facts, headers: request.headers }))
  return found.kind === 'page' && found.entry.methods ? found.entry : undefined
}

/** Headers that this service writes itself. */
const NOT_RELAYED: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

/** Sends the renderer's response as it is. The form is sent to one replica once, because page code may change data. */
export async function passForm(
  body: Buffer,
  page: PageEntry,
  { request, response, facts, context, site }: Exchange,
  renderer: RendererClient,
): Promise<void> {
  response.setHeader(INTERNAL_HEADERS.route, page.pattern)
  const passed = await renderer.postedPage(
    {
      url: facts.url,
      as: 'html',
      posted: body.toString('base64'),
      headers: appHeaders(request),
      ...(request.headers.cookie !== undefined && { cookies: request.headers.cookie }),
    },
    context.requestId,
  )
  if (response.destroyed) return
  if (!passed) return sendError(response, 'document', { code: 'upstream-refused', screenPolicy: site.screenPolicy })
  response.statusCode = passed.status
  for (const [name, value] of Object.entries(passed.headers))
    if (value !== undefined && !NOT_RELAYED.has(name)) response.setHeader(name, value)
  response.setHeader('content-length', passed.body.length)
  response.end(passed.body)
}
