// Turns a submission's result into a response: JSON for scripts (W4), 303 or a page for browsers without JavaScript.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorDocument, escapeHtml, sendError } from '../../shared/node/error-response.ts'
import type { ActionResponse, InnerRenderRequest } from '../../shared/wire/action-wire.ts'
import type { InvalidInput } from '../../shared/wire/bundles.ts'
import { INTERNAL_HEADERS } from '../../shared/wire/constants.ts'
import { mergeCookies } from '../request/cookies.ts'
import type { ReadSubmission } from '../request/read-submission.ts'
import { appHeaders, header, type RequestFacts } from '../request/request-facts.ts'
import type { ActionResult, SubmitResult } from '../submission/submit-action.ts'
import type { RendererClient } from './renderer-client.ts'

/** With `portico-fresh: none` the response has no page data. */
const FRESH_HEADER = 'portico-fresh'
/** Seconds after which a refused submission may be sent again. */
const RETRY_AFTER_SECONDS = '2'

export interface ResponseTarget {
  request: IncomingMessage
  response: ServerResponse
  facts: RequestFacts
  requestId: string
  submission: ReadSubmission
  basePath: string
  renderer: RendererClient
  now: () => number
}

/** Sends the response for every result of a submission. */
export async function sendResult(submitted: SubmitResult, to: ResponseTarget): Promise<void> {
  const { response, submission } = to
  const form = submission.isScripted ? 'data' : 'document'
  switch (submitted.kind) {
    case 'result':
      for (const cookie of submitted.result.setCookies) response.appendHeader('set-cookie', cookie)
      return submission.isScripted ? sendScripted(submitted.result, to) : sendPlain(submitted.result, to)
    case 'done':
      if (!submission.isScripted) return sendSeeOther(response, submitted.location ?? to.facts.url)
      return sendActionResponse(response, 200, submitted)
    case 'other-body': {
      const message = 'This submission was sent before with other contents.'
      if (!submission.isScripted) return sendError(response, 'document', { status: 422, message })
      return sendActionResponse(response, 422, { kind: 'invalid', issues: [{ path: '', message }] })
    }
    case 'unknown':
      if (submission.isScripted) return sendActionResponse(response, 409, { kind: 'unknown' })
      return sendError(response, 'document', { status: 409, message: UNKNOWN_TEXT })
    case 'still-running':
      return sendError(response, form, { status: 503, message: STILL_RUNNING_TEXT, headers: RETRY_AFTER })
    case 'unavailable':
      return sendError(response, form, { status: 503, message: UNAVAILABLE_TEXT, headers: RETRY_AFTER })
  }
}

const RETRY_AFTER = { 'retry-after': RETRY_AFTER_SECONDS }
const UNKNOWN_TEXT =
  'This submission may or may not have been carried out. Look whether its result is there before you send it again.'
const STILL_RUNNING_TEXT = 'This submission is still being worked on.'
const UNAVAILABLE_TEXT = 'The site cannot take submissions at the moment; nothing was done.'

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
      return sendActionResponse(response, 200, { kind: 'redirect', location: outcome.location, status: 303 })
    case 'not-found':
      return sendActionResponse(response, 404, { kind: 'not-found' })
    case 'invalid':
      return sendActionResponse(response, 422, { kind: 'invalid', issues: outcome.issues })
    case 'error':
      return sendException(outcome.digest, to)
    case 'late':
      return sendError(response, 'data', { status: 504 })
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
    case 'not-found': {
      const url = `${to.basePath}/404`
      const page = await to.renderer.page({ ...renderRequest('html', result, to), url, status: 404 }, to.requestId)
      return page ? sendPage(page, 404, to) : sendError(response, 'document', { status: 404 })
    }
    case 'invalid': {
      const input: InvalidInput = { issues: outcome.issues, fields: submission.fields }
      if (submission.state && (await sendStatePage(422, input, result, to))) return
      return sendIssues(input, to)
    }
    case 'error':
      return sendException(outcome.digest, to)
    case 'late':
      return sendError(response, 'document', { status: 504, message: UNKNOWN_TEXT })
  }
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
    ...(result.generation === undefined ? {} : { generation: result.generation }),
  }
}

/** Headers of a rendered document that are sent to the client. */
const RELAYED_HEADERS: readonly string[] = ['content-type', 'content-security-policy', 'link', 'x-robots-tag', 'vary']

function sendPage(
  page: { headers: IncomingMessage['headers']; body: Buffer },
  status: number,
  to: ResponseTarget,
): void {
  const { response } = to
  response.statusCode = status
  for (const name of RELAYED_HEADERS) {
    const value = page.headers[name]
    if (value !== undefined) response.setHeader(name, value)
  }
  for (const cookie of page.headers['set-cookie'] ?? []) response.appendHeader('set-cookie', cookie)
  response.setHeader('cache-control', 'private, no-store')
  response.setHeader('content-length', page.body.length)
  response.end(page.body)
}

function sendSeeOther(response: ServerResponse, location: string): void {
  // SECURITY: a POST to the path "//host/…" must not get a Location that leaves the origin.
  const safe = location.replace(/^[/\\]{2,}/, '/')
  response.writeHead(303, { location: safe, 'cache-control': 'private, no-store', 'content-length': 0 })
  response.end()
}

/** run-action.ts has logged the error with this digest. */
function sendException(digest: string, { response, submission }: ResponseTarget): void {
  const form = submission.isScripted ? 'data' : 'document'
  sendError(response, form, { status: 500, digest, headers: { [INTERNAL_HEADERS.digest]: digest } })
}

/** Sends the issues as a plain list, for forms without form state. The browser's back button keeps the typed text. */
function sendIssues({ issues }: InvalidInput, { response }: ResponseTarget): void {
  const items = issues.map(
    ({ path, message }) => `<li>${path === '' ? '' : `<b>${escapeHtml(path)}</b>: `}${escapeHtml(message)}</li>`,
  )
  const body = errorDocument({ status: 422, message: 'The form was not accepted. Go back to change it.' }).replace(
    '</main>',
    `<ul>${items.join('')}</ul></main>`,
  )
  response.writeHead(422, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

/** Sends one of the responses of W4. */
export function sendActionResponse(response: ServerResponse, status: number, body: ActionResponse): void {
  sendJsonText(response, status, JSON.stringify(body))
}

function sendJsonText(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(json)
}
