// The step that requests verdicts of the site's middleware (X15): after redirects, before everything that responds. A
// path that no matcher fits continues in the same turn; for every other path a renderer decides, and without a verdict
// the response is 503.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { whenClosed } from '@portico/shared/kit/when-closed.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { createMatchers } from '@portico/shared/wire/middleware/matchers.ts'
import type { PassedQuestion } from '@portico/shared/wire/middleware/passed-question.ts'
import type { MiddlewareQuestion, MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { NO_FACTS } from '@portico/shared/wire/patterns/conditions.ts'
import { isFilePath, staticUrl } from '@portico/shared/wire/routing/urls.ts'
import type { NextFunction } from 'express'
import { type Exchange, exchangeOf, type Reply, type SendReply } from '../../exchange/exchange.ts'
import { type ForwardedFacts, upstreamHeaders } from '../../headers/headers.ts'
import type { ServiceProxy } from '../../proxy/proxy.ts'
import { factsOf } from '../../rules/rules.ts'
import type { CarryOut } from './carry-out.ts'
import type { createDecideWithPage } from './decide-with-page.ts'
import type { VerdictResult, Verdicts } from './verdicts.ts'

/** What middleware decides about. */
export interface GuardedAddress {
  kind: 'path' | 'image'
  /** Raw, below basePath. */
  path: string
  search: string
}

type AddressRules = Pick<Manifest, 'basePath' | 'assetPrefix'>

/** Addresses of the framework that hold nothing of a page. */
const UNGUARDED: ReadonlySet<string> = new Set(['static', 'manifest', 'dev', 'own'])

/**
 * The address to which the matchers apply; undefined for one that middleware never guards. SECURITY: page data has the
 * address of its page, in every representation and of every build.
 */
function guardedAddress(exchange: Exchange, rules: AddressRules): GuardedAddress | undefined {
  const { path, pageData, search } = exchange
  const { route } = exchange.found
  if (!route || path === undefined || UNGUARDED.has(route.name)) return undefined
  if (route.by === 'images') return imageAddress(search, rules)
  if (!route.isData) return { kind: 'path', path, search }
  return pageData && { kind: 'path', path: pageData.pathname, search }
}

/**
 * The file or handler of this site that the image endpoint reads. Undefined for other hosts, and for parameters that the
 * images service refuses.
 */
function imageAddress(search: string, { basePath, assetPrefix = basePath }: AddressRules): GuardedAddress | undefined {
  const [given, ...more] = new URLSearchParams(search).getAll('url')
  if (given === undefined || more.length > 0 || !given.startsWith('/') || !URL.canParse(given, BASE)) return undefined
  const url = new URL(given, BASE)
  if (url.origin !== BASE) return undefined
  if ([basePath, assetPrefix].some((prefix) => url.pathname.startsWith(staticUrl(prefix, '')))) return undefined
  if (basePath !== '' && !url.pathname.startsWith(`${basePath}/`)) return undefined
  return { kind: 'image', path: url.pathname.slice(basePath.length), search: url.search }
}

const BASE = 'http://site.invalid'

/** Path and query of the address as the author's middleware reads them, basePath included. */
function addressShown(
  { path, search }: GuardedAddress,
  { basePath, trailingSlash }: { basePath: string; trailingSlash: boolean },
  isData: boolean,
): string {
  if (path === '/' && basePath !== '') return `${basePath}${trailingSlash ? '/' : ''}${search}`
  // The address of page data has no slash at the end, that of its page may have one.
  const slash = isData && trailingSlash && path !== '/' && !isFilePath(path) ? '/' : ''
  return basePath + oneSpelling(path) + slash + search
}

/**
 * SECURITY: routes are found by decoded segments, and author code compares text: it must see `/%61dmin` as `/admin`. What a
 * segment must encode remains encoded.
 */
function oneSpelling(path: string): string {
  if (!path.includes('%')) return path
  try {
    return path
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)).replace(ALLOWED_PLAIN, decodeURIComponent))
      .join('/')
  } catch {
    // Only of an image: the images service refuses a malformed sequence.
    return path
  }
}

/** Characters of a segment (RFC 3986 section 3.3) that encodeURIComponent encodes. */
const ALLOWED_PLAIN = /%(?:24|26|2[BC]|3[ABD]|40)/g

interface GuardStepDeps {
  manifest: Pick<Manifest, 'basePath' | 'buildId' | 'assetPrefix' | 'trailingSlash' | 'semantics' | 'i18n'> &
    Required<Pick<Manifest, 'middleware'>>
  forwarded: (request: IncomingMessage) => ForwardedFacts
  verdicts: Pick<Verdicts, 'request'>
  /** Requests the verdict with the page, where that is possible. */
  decideWithPage: ReturnType<typeof createDecideWithPage>
  carryOut: CarryOut
  holdBody: ServiceProxy['holdBody']
  send: SendReply
  log: Pick<Log, 'warn'>
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = { 'retry-after': '1' }

export function createGuardStep(deps: GuardStepDeps) {
  const { manifest, forwarded, verdicts, decideWithPage, carryOut, holdBody, send, log } = deps
  const { matchers } = manifest.middleware
  const isGuarded = createMatchers(matchers, manifest.i18n)
  const readsFacts = matchers.some(({ has, missing }) => has !== undefined || missing !== undefined)

  /** Without a verdict the response is 503. */
  const replyTo = (request: IncomingMessage, result: VerdictResult, isImage: boolean): Reply | undefined => {
    if (result.kind === 'verdict')
      return isImage ? guardImage(request, result.verdict) : carryOut(request, result.verdict)
    const { fault, digest, by } = result
    const { requestId } = exchangeOf(request)
    log.warn({ event: 'middleware', fault, replica: by?.name, requestId }, 'no verdict of middleware')
    return { kind: 'error', code: 'middleware-failed', extra: { headers: RETRY_AFTER, digest }, leavesBody: true }
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

  /** Undefined for a request that no matcher fits. */
  const addressOf = (request: IncomingMessage, exchange: Exchange): GuardedAddress | undefined => {
    const address = guardedAddress(exchange, manifest)
    if (!address) return undefined
    const facts = readsFacts ? factsOf(request, address.search, forwarded) : NO_FACTS
    return isGuarded(address.path, facts) ? address : undefined
  }

  /** For an explanation: what middleware decides, or undefined where no matcher fits. */
  const ask = async (request: IncomingMessage, response: ServerResponse) => {
    const exchange = exchangeOf(request)
    const address = addressOf(request, exchange)
    if (!address) return undefined
    const isImage = address.kind === 'image'
    const question = { ...questionOf(exchange, address, manifest), method: isImage ? 'GET' : exchange.method }
    const result = await requestVerdict(request, response, question)
    return { result, reply: replyTo(request, result, isImage) }
  }

  const guard = (request: IncomingMessage, response: ServerResponse, next: NextFunction): unknown => {
    const exchange = exchangeOf(request)
    const address = addressOf(request, exchange)
    if (!address) return next()
    const question = questionOf(exchange, address, manifest)
    const isImage = address.kind === 'image'
    const conclude = (result: VerdictResult, onward: () => void = next): unknown => {
      // The client disconnected, or its body was refused.
      if (isClientGone(response) || response.headersSent) return undefined
      try {
        const reply = replyTo(request, result, isImage)
        return reply ? send(request, response, reply) : onward()
      } catch (error) {
        return send(request, response, { kind: 'thrown', error })
      }
    }
    if (!isImage && decideWithPage(request, response, question, conclude)) return undefined
    return requestVerdict(request, response, { ...question, method: isImage ? 'GET' : exchange.method }).then(
      (result) => conclude(result),
    )
  }
  return { guard, ask, addressOf }
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
function guardImage(request: IncomingMessage, verdict: MiddlewareVerdict): Reply | undefined {
  const exchange = exchangeOf(request)
  // Headers are those of the file; of its image only that no cache shares it.
  exchange.guarded = { verdict: verdict.kind, responseHeaders: [] }
  exchange.comparesClient = true
  if (verdict.kind === 'next') return undefined
  const status = verdict.kind === 'response' || verdict.kind === 'refused' ? verdict.status : 403
  return { kind: 'error', code: status === 401 ? 'unauthorized' : status === 404 ? 'not-found' : 'access-denied' }
}
