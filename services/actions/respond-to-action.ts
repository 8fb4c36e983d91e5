// A POST to a page, from its headers to its response. The order of the steps is the protection (A4, A7, A5):
//   path and method → origin → running submissions of the client → body within its limit → action known → once per key
//   → handler → invalidations published → fresh page from the renderer → response

import { createHmac } from 'node:crypto'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import { networkOf } from '@portico/shared/kit/http/network-of.ts'
import type { BeginRequest } from '@portico/shared/kit/life/running-requests.ts'
import type { Keyring } from '@portico/shared/kit/secrets/keyring.ts'
import type { BoundArgs } from '@portico/shared/kit/store/bound-args.ts'
import { HEADERS, INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { verdictOf } from '@portico/shared/wire/policy/origin-check.ts'
import { matchRoute } from '@portico/shared/wire/routing/routes.ts'
import { canonicalPath, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { UploadScope, Uploads } from './request/body/uploads.ts'
import {
  type ClientCookie,
  type ClientIdentity,
  countedAs,
  identifyClient,
  mintClientCookie,
  rotateClientCookie,
  setClientCookie,
} from './request/client-identity.ts'
import { type ReadSubmission, readSubmission } from './request/read-submission.ts'
import { type Exchange, header } from './request/request-facts.ts'
import { createLazyAbort } from './run/lazy-abort.ts'
import { findFormPage, passForm } from './send/pass-form.ts'
import type { RendererClient } from './send/renderer-client.ts'
import { sendActionResponse, sendResult } from './send/send-result.ts'
import { missing } from './site.ts'
import { HOLDER_LENGTH, type SubmitActionDeps, type SubmitResult, submitAction } from './submission/submit-action.ts'

export interface ActionResponderDeps extends Omit<SubmitActionDeps, 'site'> {
  boundArgs: BoundArgs
  renderer: RendererClient
  uploads: Uploads
  publicOrigins: readonly string[]
  /** Limits the running submissions of one client. */
  beginRequest: BeginRequest
  /** HMAC keys of derived client cookies and of the hashes of addresses. */
  clientKeys: Pick<Keyring, 'current' | 'accepted'>
}

/** At most one log line about unknown actions in this time (A2): old tabs may send many after a deploy. */
const UNKNOWN_LOG_PAUSE_MS = 60_000

/**
 * Returns the function that responds to one POST to a page, and throws a ServiceError for a request without an action.
 */
export function createActionResponder(deps: ActionResponderDeps) {
  let unknownLoggedAt = Number.NEGATIVE_INFINITY

  const sendUnknown = (id: string, { request, response, site }: Exchange): void => {
    if (deps.clock.now() - unknownLoggedAt >= UNKNOWN_LOG_PAUSE_MS) {
      unknownLoggedAt = deps.clock.now()
      deps.log.warn({ action: id.slice(0, 64) }, 'unknown action called')
    }
    if (header(request, HEADERS.action) !== undefined)
      sendActionResponse(response, { kind: 'unknown-action' }, 'unknown-action')
    else sendError(response, 'document', { code: 'unknown-action', screenPolicy: site.screenPolicy })
  }

  const submit = async (submission: ReadSubmission, exchange: Exchange, files: UploadScope): Promise<void> => {
    const { request, response, site, facts, context } = exchange
    response.setHeader(INTERNAL_HEADERS.route, submission.action.name)
    const client = identifyClient({ ...facts, key: submission.key }, deps.clientKeys.accepted())
    const address = hashAddress(facts.address, deps.clientKeys.current())
    const left = createLazyAbort()
    response.on('close', () => left.abort('the client closed the connection'))
    const submitted = await submitAction({ submission, client, address, left, context, facts }, { ...deps, site })
    // The handler does not need the files any more; the files are deleted before the client gets its response.
    await files.dispose()
    if (response.destroyed) return
    const cookie = cookieAfter(submitted, client, submission)
    await sendResult(submitted, {
      ...(cookie && { clientCookie: setClientCookie(cookie, site.basePath, facts.isSecure) }),
      request,
      response,
      facts,
      requestId: context.requestId,
      submission,
      basePath: site.basePath,
      screenPolicy: site.screenPolicy,
      renderer: deps.renderer,
      now: deps.clock.now,
    })
  }

  return async function respondToAction(exchange: Exchange): Promise<void> {
    const { request, site, facts } = exchange
    refuseOtherThanPosts(exchange)
    const page = findFormPage(exchange)
    const verdict = verdictOf(request.headers, deps.publicOrigins)
    const mayBeForeign = page?.crossOrigin === true && header(request, HEADERS.action) === undefined
    if (verdict.kind === 'refuse' && !mayBeForeign) throw refusedFor(verdict.reason)
    const client = identifyClient({ ...facts, key: undefined }, deps.clientKeys.accepted())
    const leave = deps.beginRequest(countedAs(client, facts))
    if (!leave) throw new ServiceError('overloaded', { headers: { 'retry-after': '1' } })
    const uploads = deps.uploads.createScope()
    try {
      const read = await readSubmission(request, {
        site,
        boundArgs: deps.boundArgs,
        uploads,
        isBodyKept: page !== undefined,
      })
      if (read.kind === 'no-action') {
        if (!page || !read.body) throw new ServiceError('method-not-allowed', { headers: { allow: 'GET, HEAD' } })
        await uploads.dispose()
        return await passForm(read.body, page, exchange, deps.renderer)
      }
      // SECURITY: a page that takes forms of other sites does not let them call its actions.
      if (verdict.kind === 'refuse') throw refusedFor(verdict.reason)
      const fault = read.kind === 'unknown-action' ? site.broken.get(read.id) : undefined
      if (fault) throw fault
      if (read.kind === 'unknown-action' && site.fault) throw missing(site, 'unknown-action')
      if (read.kind === 'unknown-action') return sendUnknown(read.id, exchange)
      await submit(read.submission, exchange, uploads)
    } finally {
      leave()
      await uploads.dispose()
    }
  }
}

/**
 * The client cookie that the response sets. Cached pages set no cookie, so the first response of an action does (A5).
 */
function cookieAfter(
  submitted: SubmitResult,
  client: ClientIdentity,
  { key, isScripted }: ReadSubmission,
): ClientCookie | undefined {
  if (client.kind === 'key') return client.cookie
  const isKeylessForm = key === undefined && !isScripted
  if (!client.cookie) return client.kind === 'none' || isKeylessForm ? mintClientCookie() : undefined
  return isKeylessForm && isCompleted(submitted) ? rotateClientCookie(client.cookie) : undefined
}

/**
 * Whether the action ran to its end. After refused input or a refused client the next post runs with any counter; after the time limit the
 * effect is unknown, so the next post is a copy.
 */
function isCompleted(submitted: SubmitResult): boolean {
  if (submitted.kind !== 'result') return submitted.kind === 'done'
  const { kind } = submitted.result.outcome
  return kind !== 'invalid' && kind !== 'refused' && kind !== 'late'
}

/**
 * Budgets only need to distinguish addresses. SECURITY: the hash is keyed, so that the store does not reveal addresses.
 */
function hashAddress(address: string, secret: string): string {
  const hashed = createHmac('sha256', secret)
    .update(`address.${networkOf(address)}`)
    .digest('base64url')
  return hashed.slice(0, HOLDER_LENGTH)
}

function refusedFor(reason: string): ServiceError {
  return new ServiceError('forbidden', { text: `Refused: ${reason}.` })
}

function refuseOtherThanPosts({ request, site, facts }: Exchange): void {
  if (request.method !== 'POST') throw new ServiceError('method-not-allowed', { headers: { allow: 'POST' } })
  const pathname = stripBasePath(facts.pathname, site.basePath)
  if (pathname === undefined) throw new ServiceError('not-found')
  if (matchRoute(site.pages, pathname).kind === 'malformed') throw new ServiceError('malformed-path')
  // R6: a POST cannot be redirected safely, so another spelling of a path is an error.
  if (canonicalPath(facts.pathname, site.trailingSlash).kind !== 'canonical')
    throw new ServiceError('non-canonical-path')
}
