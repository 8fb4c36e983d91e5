// Where the body of a request ends (RFC 9112 section 6): read once as the client framed it, and written for the upstream
// by the gateway alone. The Connection header, which can change what a proxy sends, is parsed here, too (RFC 9110
// section 7.6.1, G8).

import type { ClientRequest, IncomingMessage } from 'node:http'

export type Framing = { kind: 'none' } | { kind: 'length'; bytes: number } | { kind: 'chunked' }

const NONE: Framing = { kind: 'none' }
const CHUNKED: Framing = { kind: 'chunked' }

/**
 * The framing of a request that node:http has parsed; undefined for one that cannot be passed on as it is: two framings,
 * another coding than chunked, chunks in HTTP/1.0 (RFC 9112 section 6.1).
 */
export function readFraming({ headers, httpVersion }: IncomingMessage): Framing | undefined {
  const { 'transfer-encoding': coding, 'content-length': length } = headers
  if (coding !== undefined)
    return length === undefined && httpVersion === '1.1' && coding.toLowerCase() === 'chunked' ? CHUNKED : undefined
  if (length === undefined) return NONE
  const bytes = /^\d+$/.test(length) ? Number(length) : Number.NaN
  if (!Number.isSafeInteger(bytes)) return undefined
  return bytes === 0 ? NONE : { kind: 'length', bytes }
}

/** The framing that is sent upstream. */
export function framingForUpstream(request: IncomingMessage): Framing {
  if (isRead(request)) return NONE
  const framing = readFraming(request)
  if (!framing) throw new Error('the guard accepted a request whose framing cannot be passed on')
  return framing
}

/**
 * Drops the body of GET or HEAD, which has no meaning (RFC 9110 section 9.3.1), as it arrives. SECURITY: node:http drops
 * a body behind the response only; until then each of these requests would hold 64 KiB for which no room is counted.
 */
export function dropMeaninglessBody(request: IncomingMessage): void {
  const { headers } = request
  if (isRead(request) && (headers['content-length'] ?? headers['transfer-encoding']) !== undefined) request.resume()
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Methods for whose content RFC 9110 section 9.3 defines no meaning; others say that they have none (section 8.6). */
const WITHOUT_CONTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/**
 * Writes the framing, after everything else that writes headers. SECURITY: httpxy and node:http each choose a framing by
 * method for requests that have none. A body that the header section does not announce is read as the next request on the
 * connection, and another client receives its response (request smuggling).
 */
export function writeFraming(upstreamRequest: ClientRequest, framing: Framing): void {
  switch (framing.kind) {
    case 'chunked':
      upstreamRequest.removeHeader('content-length')
      upstreamRequest.setHeader('transfer-encoding', 'chunked')
      return
    case 'length':
      upstreamRequest.removeHeader('transfer-encoding')
      upstreamRequest.setHeader('content-length', framing.bytes)
      return
    case 'none':
      upstreamRequest.removeHeader('transfer-encoding')
      if (WITHOUT_CONTENT.has(upstreamRequest.method)) upstreamRequest.removeHeader('content-length')
      else upstreamRequest.setHeader('content-length', 0)
  }
}

/** Options of this connection, and headers that are not sent upstream anyway. */
const ALLOWED: ReadonlySet<string> = new Set([
  'close',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'proxy-connection',
  'http2-settings',
])

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/** The options in lower case; undefined when one of them is no token. Empty elements do not count (RFC 9110 section 5.6.1.2). */
export function connectionOptions(value: string): string[] | undefined {
  const options = value
    .toLowerCase()
    .split(',')
    // Only spaces and tabs: `trim` would also remove other characters, which make a name malformed.
    .map((element) => element.replace(/^[\t ]+|[\t ]+$/g, ''))
    .filter((element) => element !== '')
  return options.every((option) => TOKEN.test(option)) ? options : undefined
}

/**
 * Whether a request may have this Connection header. SECURITY: the header makes a proxy drop what it names. A client that
 * names Content-Length, Host or Cookie would have the upstream read another request than the one that was checked
 * (request smuggling), so such a request is refused, not repaired. Names of absent headers change nothing.
 */
export function isAllowedConnection(value: string | undefined, isHeader: (name: string) => boolean): boolean {
  if (value === undefined || value === 'keep-alive' || value === 'close') return true
  const options = connectionOptions(value)
  return options?.every((option) => ALLOWED.has(option) || !isHeader(option)) ?? false
}
