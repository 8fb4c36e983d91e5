// Finds a request's line in the routing table, and refuses TRACE, which no line takes (E6).

import type { IncomingMessage } from 'node:http'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { parseDataPath } from '@portico/shared/wire/routing/urls.ts'
import { findRoute, type Route, refusedMethod } from '../routes.ts'
import type { Reply } from '../send/reply.ts'
import { exchangeOf, NOTHING_FOUND } from './exchange.ts'

/** Creates the step, which notes route, page data and locale in the exchange. */
export function createRouteFinder(routes: readonly Route[], { semantics, i18n }: Pick<Manifest, 'semantics' | 'i18n'>) {
  return function noteRoute(request: IncomingMessage): Reply | undefined {
    const exchange = exchangeOf(request)
    const { path, method } = exchange
    const route = path === undefined ? undefined : findRoute(routes, path, request)
    exchange.found = { ...NOTHING_FOUND, route }
    if (path !== undefined && route?.isData) exchange.pageData = parseDataPath(path, semantics)
    if (path !== undefined && i18n) exchange.locale = splitLocale(i18n, exchange.pageData?.pathname ?? path)
    if (method !== 'TRACE') return undefined
    // SECURITY: a response to TRACE repeats the request, with cookies that a script must not read. Refused before redirects.
    const allow = (route && refusedMethod(route, method)) ?? 'GET, HEAD'
    return { kind: 'error', code: 'method-not-allowed', extra: { headers: { allow } } }
  }
}
