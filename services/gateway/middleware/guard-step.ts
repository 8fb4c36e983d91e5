// The step that asks the site's middleware (X15): after redirects, before everything that responds. A path that no matcher
// fits continues in the same turn; for every other one a renderer decides, and without a verdict the response is 503.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { createMatchers } from '@portico/shared/wire/middleware/matchers.ts'
import type { MiddlewareQuestion, MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { NO_FACTS } from '@portico/shared/wire/patterns/conditions.ts'
import type { NextFunction } from 'express'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { upstreamHeaders } from '../proxy/headers/request-headers.ts'
import type { ServiceProxy } from '../proxy/proxy.ts'
import type { ClosingConnections } from '../request/closing-connections.ts'
import { type Exchange, exchangeOf } from '../request/exchange.ts'
import type { ErrorSender } from '../request/send-error.ts'
import { factsOf } from '../rules/rule-facts.ts'
import { type CarryOut, closeAfterUnread } from './carry-out.ts'
import { addressShown, type GuardedAddress, guardedAddress } from './guarded-address.ts'
import type { Verdicts } from './verdicts.ts'

export interface GuardStepDeps {
  manifest: Pick<Manifest, 'basePath' | 'assetPrefix' | 'buildId' | 'trailingSlash' | 'isNext' | 'i18n'> &
    Required<Pick<Manifest, 'middleware'>>
  forwarded: (request: IncomingMessage) => ForwardedFacts
  verdicts: Pick<Verdicts, 'request'>
  carryOut: CarryOut
  holdBody: ServiceProxy['holdBody']
  errors: ErrorSender
  connections: ClosingConnections
  log: Pick<Log, 'warn'>
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = { 'retry-after': '1' }

export function createGuardStep(deps: GuardStepDeps) {
  const { manifest, forwarded, verdicts, carryOut, holdBody, errors, connections, log } = deps
  const { matchers } = manifest.middleware
  const isGuarded = createMatchers(matchers, manifest.i18n)
  const readsFacts = matchers.some(({ has, missing }) => has !== undefined || missing !== undefined)

  /** Undefined where a response was sent, or needs none. */
  const ask = async (request: IncomingMessage, response: ServerResponse, address: GuardedAddress) => {
    const exchange = exchangeOf(request)
    const work = new AbortController()
    const { signal } = work
    response.once('close', () => work.abort())
    const releaseBody = holdBody(request, response)
    const { requestId, traceparent } = exchange
    const question = questionOf(request, exchange, address, deps)
    const result = await verdicts.request(question, { requestId, traceparent, signal })
    releaseBody()
    // The client disconnected, or its body was refused.
    if (response.destroyed || response.headersSent) return undefined
    if (result.kind === 'verdict') return result.verdict
    const { fault, digest, by } = result
    log.warn({ event: 'middleware', fault, replica: by?.name, requestId }, 'no verdict of middleware')
    closeAfterUnread(request, response, connections)
    errors.send(request, response, 'middleware-failed', { headers: RETRY_AFTER, digest })
    return undefined
  }

  return function guard(request: IncomingMessage, response: ServerResponse, next: NextFunction) {
    const exchange = exchangeOf(request)
    const address = guardedAddress(exchange, manifest)
    if (!address) return next()
    const facts = readsFacts ? factsOf(request, address.search, forwarded) : NO_FACTS
    if (!isGuarded(address.path, facts)) return next()
    ask(request, response, address)
      .then((verdict) => {
        if (!verdict) return
        if (address.kind === 'image') guardImage(request, response, verdict, errors, next)
        else carryOut(request, response, verdict, next)
      })
      .catch((error: unknown) => errors.sendThrown(request, response, error))
  }
}

/** SECURITY: the address that middleware sees is of the public origin, and its path is that of the page for page data. */
function questionOf(
  request: IncomingMessage,
  exchange: Exchange,
  address: GuardedAddress,
  { manifest, forwarded }: GuardStepDeps,
): MiddlewareQuestion {
  const { pageData, method } = exchange
  const isImage = address.kind === 'image'
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(upstreamHeaders(request, exchange, forwarded(request))))
    if (value !== undefined) headers[name] = value.toString()
  // As in Next.js, where libraries read the header. The path alone decides (D1).
  delete headers[DATA_HEADER]
  if (manifest.isNext && pageData) headers[DATA_HEADER] = '1'
  return {
    build: manifest.buildId,
    method: isImage ? 'GET' : method,
    url: addressShown(address, manifest, pageData !== undefined),
    headers,
    ...(pageData && { dataBuild: pageData.buildId }),
  }
}

const DATA_HEADER = 'x-nextjs-data'

/** SECURITY: the cache of images has no client in its keys: each client is asked about, before the cache. */
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
