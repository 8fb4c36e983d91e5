// The request headers that belong to the gateway: it writes, drops or extends them, and middleware changes none of them.

import { HEADERS, INTERNAL_HEADER_PREFIX, MIDDLEWARE_HEADER_PREFIX } from '../constants.ts'

/** Headers for one connection only: RFC 9110 section 7.6.1, and headers of older programs (G1). In lower case. */
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

/** RFC 8586: a program that receives its own token has sent the request to itself. */
export const LOOP_HEADER = 'cdn-loop'

/** Written by the gateway and by node:http. */
const WRITTEN: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'traceparent',
  'transfer-encoding',
  HEADERS.requestId,
])

/** Headers in which a client could claim another address. */
const NOT_BELIEVED: ReadonlySet<string> = new Set(['forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip'])
/** The gateway has responded to this header already (100 Continue). */
const EXPECT = 'expect'

/**
 * Whether the gateway alone writes a header, in lower case, of the upstream's request: the client's copy is never sent (G8).
 * SECURITY: a header of middleware's protocol from outside has led around the guards of other frameworks.
 */
export function isGatewayHeader(name: string): boolean {
  return (
    WRITTEN.has(name) ||
    name.startsWith('x-forwarded-') ||
    name.startsWith(INTERNAL_HEADER_PREFIX) ||
    name.startsWith(MIDDLEWARE_HEADER_PREFIX)
  )
}

/** Whether a header, in lower case, is never sent upstream as it arrived. */
export function isDropped(name: string): boolean {
  return HOP_BY_HOP.has(name) || isGatewayHeader(name) || NOT_BELIEVED.has(name) || name === EXPECT
}

/**
 * Whether middleware may not change a request header, in lower case. SECURITY: framing, the connection, the address of the
 * client, the loop token and the headers of the stack are the gateway's alone.
 */
export function isReservedRequestHeader(name: string): boolean {
  return isDropped(name) || name.startsWith('portico-') || name === LOOP_HEADER || name === HEADERS.idempotencyKey
}
