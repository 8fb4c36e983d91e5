// The headers that go upstream: hop-by-hop and internal ones left out, forwarded ones set by the gateway alone.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { HEADERS, INTERNAL_HEADER_PREFIX } from '../../shared/wire/constants.ts'
import type { Exchange } from '../exchange.ts'
import { restoreTags } from './entity-tags.ts'
import type { ForwardedFacts } from './forwarded.ts'
import { rememberKinds } from './name-kinds.ts'

/** RFC 9110 section 7.6.1 and what older programs send; they are for one connection only (G1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

/** Set below, or not for anyone beyond the gateway to claim. */
const NOT_BELIEVED: ReadonlySet<string> = new Set(['forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip'])
/** Answered by this server already (100 Continue). */
const EXPECT = 'expect'

/** Headers that never go upstream as they came. */
const isDropped = rememberKinds(
  (name) =>
    HOP_BY_HOP.has(name) ||
    NOT_BELIEVED.has(name) ||
    name === EXPECT ||
    name.startsWith('x-forwarded-') ||
    name.startsWith(INTERNAL_HEADER_PREFIX),
)

/** Whether the request carries a body that goes upstream. A body of GET or HEAD has no meaning and goes nowhere. */
export function hasBody(request: IncomingMessage): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false
  const { headers } = request
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** The whole header section for the upstream. */
export function upstreamHeaders(
  request: IncomingMessage,
  exchange: Exchange,
  forwarded: ForwardedFacts,
): IncomingHttpHeaders {
  const given = request.headers
  const named = connectionTokens(given.connection)
  const bodiless = request.method === 'GET' || request.method === 'HEAD'
  const headers: IncomingHttpHeaders = {}
  for (const name in given) {
    if (isDropped(name)) continue
    if (bodiless && name === 'content-length') continue
    if (named?.includes(name)) continue
    headers[name] = given[name]
  }
  // Framing is ours. SECURITY: a body without a length must be chunked for every method, else its bytes would read as
  // the next request (request smuggling).
  if (!bodiless && given['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked'
  restoreTags(headers)
  headers.traceparent = exchange.traceparent
  headers[HEADERS.requestId] = exchange.requestId
  headers['x-forwarded-for'] = forwarded.client
  headers['x-forwarded-proto'] = forwarded.proto
  headers['x-forwarded-host'] = forwarded.host
  return headers
}

/** The headers of an upgrade: what nobody may claim left out, the upgrade itself kept. */
export function upgradeHeaders(given: IncomingHttpHeaders): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {}
  for (const name in given)
    if (name === 'connection' || name === 'upgrade' || !isDropped(name)) headers[name] = given[name]
  return headers
}

/** Header names that a Connection header declares hop-by-hop; undefined for the usual values. */
export function connectionTokens(connection: string | undefined): string[] | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  return connection.split(',').map((token) => token.trim().toLowerCase())
}
