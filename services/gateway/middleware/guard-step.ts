// The step that requests verdicts of the site's middleware (X15): after redirects, before everything that responds. A path
// that no matcher fits continues in the same turn; for every other path a renderer decides, and without a verdict the
// response is 503.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import { whenClosed } from '@portico/shared/kit/http/when-closed.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { createMatchers } from '@portico/shared/wire/middleware/matchers.ts'
import type { PassedQuestion } from '@portico/shared/wire/middleware/passed-question.ts'
import type { MiddlewareQuestion, MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { NO_FACTS } from '@portico/shared/wire/patterns/conditions.ts'
import type { NextFunction } from 'express'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { upstreamHeaders } from '../proxy/headers/request-headers.ts'
import type { ServiceProxy } from '../proxy/proxy.ts'
import type { ClosingConnections } from '../request/closing-connections.ts'
import { type Exchange, exchangeOf } from '../request/exchange.ts'
import { factsOf } from '../rules/rule-facts.ts'
import type { ErrorSender } from '../send/error.ts'
import { type CarryOut, closeAfterUnread } from './carry-out.ts'
import type { createDecideWithPage } from './decide-with-page.ts'
import { addressShown, type GuardedAddress, guardedAddress } from './guarded-address.ts'
import type { VerdictResult, Verdicts } from './verdicts.ts'

interface GuardStepDeps {
  manifest: Pick<Manifest, 'basePath' | 'buildId' | 'assetPrefix' | 'trailingSlash' | 'isNext' | 'i18n'> &
    Required<Pick<Manifest, 'middleware'>>
  forwarded: (request: IncomingMessage) => ForwardedFacts
  verdicts: Pick<Verdicts, 'request'>
  /** Requests the verdict with the page, where that is possible. */
  decideWithPage: ReturnType<typeof createDecideWithPage>
  carryOut: CarryOut
  holdBody: ServiceProxy['holdBody']
  errors: ErrorSender
  connections: ClosingConnections
  log: Pick<Log, 'warn'>
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = { 'retry-after': '1' }

export function createGuardStep(deps: GuardStepDeps) {
  const { manifest, forwarded, verdicts, decideWithPage, carryOut, holdBody, errors, connections, log } = deps
  const { matchers } = manifest.middleware
  const isGuarded = createMatchers(matchers, manifest.i18n)
  const readsFacts = matchers.some(({ has, missing }) => has !== undefined || missing !== undefined)

  /** Without a verdict the response is 503. */
  const conclude = (
    request: IncomingMessage,
    response: ServerResponse,
    result: VerdictResult,
    carry: (verdict: MiddlewareVerdict) => void,
  ) => {
    // The client disconnected, or its body was refused.
    if (isClientGone(response) || response.headersSent) return
    try {
      if (result.kind === 'verdict') return carry(result.verdict)
      const { fault, digest, by } = result
      const { requestId } = exchangeOf(request)
      log.warn({ event: 'middleware', fault, replica: by?.name, requestId }, 'no verdict of middleware')
      closeAfterUnread(request, response, connections)
      errors.send(request, response, 'middleware-failed', { headers: RETRY_AFTER, digest })
    } catch (error) {
      errors.sendThrown(request, response, error)
    }
  }

  const requestVerdict = async (
    request: IncomingMessage,
    response: ServerResponse,
    question: Omit<MiddlewareQuestion, 'headers'>,
  ): Promise<VerdictResult> => {
    const work = new AbortController()
    const { signal } = work
    whenClosed(response, () => work.abort())
    const exchange = exchangeOf(request)
    const { requestId, traceparent } = exchange
    const headers: Record<string, string> = {}
    const facts = forwarded(request)
    for (const [name, value] of Object.entries(upstreamHeaders(request, exchange, facts)))
      if (value !== undefined) headers[name] = value.toString()
    const releaseBody = holdBody(request, response)
    const result = await verdicts.request(
      { ...question, headers },
      { requestId, traceparent, client: facts.client, signal },
    )
    releaseBody()
    return result
  }

  return function guard(request: IncomingMessage, response: ServerResponse, next: NextFunction) {
    const exchange = exchangeOf(request)
    const address = guardedAddress(exchange, manifest)
    if (!address) return next()
    const facts = readsFacts ? factsOf(request, address.search, forwarded) : NO_FACTS
    if (!isGuarded(address.path, facts)) return next()
    const question = questionOf(exchange, address, manifest)
    const isImage = address.kind === 'image'
    const carry = (result: VerdictResult, onward: () => void = next) =>
      conclude(request, response, result, (verdict) => {
        if (isImage) guardImage(request, response, verdict, errors, onward)
        else carryOut(request, response, verdict, onward)
      })
    if (!isImage && decideWithPage(request, response, question, carry)) return
    requestVerdict(request, response, { ...question, method: isImage ? 'GET' : exchange.method })
      .then((result) => carry(result))
      .catch((error: unknown) => errors.sendThrown(request, response, error))
  }
}

/** SECURITY: the address that middleware sees is of the public origin, and its path is that of the page for page data. */
function questionOf(
  { pageData }: Exchange,
  address: GuardedAddress,
  manifest: GuardStepDeps['manifest'],
): PassedQuestion {
  return {
    build: manifest.buildId,
    url: addressShown(address, manifest, pageData !== undefined),
    ...(pageData && { dataBuild: pageData.buildId }),
  }
}

/** SECURITY: the cache of images has no client in its keys: middleware decides about each client, before the cache. */
function guardImage(
  request: IncomingMessage,
  response: ServerResponse,
  verdict: MiddlewareVerdict,
  errors: ErrorSender,
  next: NextFunction,
) {
  const exchange = exchangeOf(request)
  // Headers are those of the file; of its image only that no cache shares it.
  exchange.guarded = { responseHeaders: [] }
  exchange.comparesClient = true
  if (verdict.kind === 'next') return next()
  const status = verdict.kind === 'response' || verdict.kind === 'refused' ? verdict.status : 403
  errors.send(request, response, status === 401 ? 'unauthorized' : status === 404 ? 'not-found' : 'access-denied')
}
