// Finds a request's line in the routing table, and refuses TRACE, which no line takes (E6).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { parseDataPath } from '@portico/shared/wire/routing/urls.ts'
import type { NextFunction } from 'express'
import { findRoute, type Route, refusedMethod } from '../routes.ts'
import type { ErrorSender } from '../send/error.ts'
import { exchangeOf } from './exchange.ts'

/** Creates the middleware, which notes route, page data and locale in the exchange. */
export function createRouteFinder(
  routes: readonly Route[],
  errors: ErrorSender,
  { isNext, i18n }: Pick<Manifest, 'isNext' | 'i18n'>,
) {
  return function noteRoute(request: IncomingMessage, response: ServerResponse, next: NextFunction) {
    const exchange = exchangeOf(request)
    const { path, method } = exchange
    if (path !== undefined) exchange.route = findRoute(routes, path, request)
    const { route } = exchange
    if (path !== undefined && route?.isData) exchange.pageData = parseDataPath(path, isNext)
    if (path !== undefined && i18n) exchange.locale = splitLocale(i18n, exchange.pageData?.pathname ?? path)
    if (method !== 'TRACE') return next()
    // SECURITY: a response to TRACE repeats the request, with cookies that a script must not read. Refused before redirects.
    const allow = (route && refusedMethod(route, method)) ?? 'GET, HEAD'
    errors.send(request, response, 'method-not-allowed', { headers: { allow } })
  }
}
