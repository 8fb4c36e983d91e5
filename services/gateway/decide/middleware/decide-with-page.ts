// Middleware and the page in one exchange (X15): the request for a page that is rendered for each request carries the
// question about middleware. The renderer sends the page with the verdict that lets it pass, or another verdict instead.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createWholeReader, type Whole } from '@portico/shared/kit/inner/whole-response.ts'
import { isPerRequest } from '@portico/shared/wire/build-output.ts'
import { INTERNAL_HEADERS, MIDDLEWARE_LIMIT_MS } from '@portico/shared/wire/constants.ts'
import {
  fitsIntoHeader,
  type PassedQuestion,
  parsePassedVerdict,
  VERDICT_IN_BODY,
} from '@portico/shared/wire/middleware/passed-question.ts'
import { type Exchange, exchangeOf } from '../../exchange/exchange.ts'
import type { ServiceProxy } from '../../proxy/proxy.ts'
import type { Replica } from '../../replicas/replicas.ts'
import type { Route } from '../../routes.ts'
import type { RouteResolver, TargetFinder } from '../resolve-route.ts'
import { resultOf, VERDICT_LIMITS, type VerdictResult } from './verdicts.ts'

interface DecideWithPageDeps {
  buildId: string
  findTarget: TargetFinder
  resolveRoute: RouteResolver
  passWithQuestion: ServiceProxy['passWithQuestion']
  /** Bytes of all verdicts that are being read. */
  readingLimitBytes?: number | undefined
}

/** Receives the result. `send` passes the page on; absent where the request has to be dispatched. */
type Conclude = (result: VerdictResult, send?: () => void) => void

/**
 * Returns the function that sends such a request. It returns false for a request whose verdict has to be requested first: the
 * responder may be a cache or another service, may change with the headers that middleware sets, or the method is HEAD, whose
 * response has no body for a verdict.
 */
export function createDecideWithPage(deps: DecideWithPageDeps) {
  const { buildId, findTarget, resolveRoute, passWithQuestion } = deps
  const { readingLimitBytes = VERDICT_LIMITS.readingLimitBytes } = deps
  const readWhole = createWholeReader({ ...VERDICT_LIMITS, readingLimitBytes })

  /** The line of the renderer, with the page noted in the exchange. */
  const routeToPage = (request: IncomingMessage, exchange: Exchange): Route | undefined => {
    const { method, pageData } = exchange
    const { route } = exchange.found
    if (method !== 'GET' || route?.by !== 'renderer') return undefined
    if (pageData && pageData.buildId !== buildId) return undefined
    const target = findTarget(request)
    if (target?.kind !== 'page' || !isPerRequest(target.entry.data) || exchange.rewritesCompareClient) return undefined
    resolveRoute(request, target)
    return exchange.found.route
  }

  /** Never rejects. */
  const readVerdict = async (upstream: IncomingMessage, by: Replica | undefined): Promise<VerdictResult> => {
    const timer = setTimeout(() => upstream.destroy(), MIDDLEWARE_LIMIT_MS)
    // Not earlier: a body that is too long is read to its end.
    upstream.once('close', () => clearTimeout(timer))
    // A promise: the proxy releases the replica with the last event of the response, before another attempt begins.
    const whole = await new Promise<Whole>((resolve) => readWhole(upstream, resolve))
    upstream.resume()
    return resultOf(whole, by)
  }

  return (request: IncomingMessage, response: ServerResponse, given: PassedQuestion, conclude: Conclude): boolean => {
    const exchange = exchangeOf(request)
    const restore = keepRequest(request, exchange)
    const route = routeToPage(request, exchange)
    if (route?.by !== 'renderer' || !fitsIntoHeader(given)) {
      restore()
      return false
    }
    const receive = (upstream: IncomingMessage, send: () => void) => {
      const mark = upstream.headers[INTERNAL_HEADERS.verdict]?.toString()
      const verdict = parsePassedVerdict(mark)
      if (verdict) return conclude({ kind: 'verdict', verdict }, send)
      const { replica } = exchange.notes
      restore()
      if (mark === VERDICT_IN_BODY) return void readVerdict(upstream, replica).then((result) => conclude(result))
      // SECURITY: nothing says that middleware ran.
      upstream.resume()
      const digest = upstream.headers[INTERNAL_HEADERS.digest]?.toString()
      conclude({ kind: 'fault', fault: 'unfit', digest, by: replica })
    }
    passWithQuestion(request, response, route, { question: given, receive })
    return true
  }
}

/** The returned function makes the request continue as it arrived: no page was requested. */
function keepRequest(request: IncomingMessage, exchange: Exchange): () => void {
  const { headers } = request
  const { found } = exchange
  const { rules, ...notes } = exchange.notes
  const before = rules?.slice()
  return () => {
    request.headers = headers
    exchange.found = found
    Object.assign(exchange.notes, notes, { rules: before })
  }
}
