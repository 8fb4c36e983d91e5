// The headers that go to the visitor: hop-by-hop and internal ones left out, what the gateway adds added. Works on
// flat lists of names and values, which node:http takes as they are.

import type { IncomingMessage } from 'node:http'
import { HEADERS, INTERNAL_HEADER_PREFIX, INTERNAL_HEADERS } from '../../shared/wire/constants.ts'
import type { Exchange } from '../exchange.ts'
import { connectionTokens, HOP_BY_HOP } from './request-headers.ts'

/** The parts of an upstream's header section that decide how its body is passed on. */
export interface UpstreamHead {
  /** Flat list of what is passed on, without the fields below that have a value of their own. */
  headers: string[]
  /** Lower-case names in `headers`, for defaults that give way. A list: for a dozen names faster than a set. */
  names: string[]
  contentType: string | undefined
  contentLength: string | undefined
  contentEncoding: string | undefined
  cacheControl: string | undefined
  etag: string | undefined
  vary: string | undefined
}

/** Reads an upstream's header section; internal headers go to the exchange. */
export function readUpstreamHead(upstream: IncomingMessage, exchange: Exchange): UpstreamHead {
  const raw = upstream.rawHeaders
  const head: UpstreamHead = {
    headers: [],
    names: [],
    contentType: undefined,
    contentLength: undefined,
    contentEncoding: undefined,
    cacheControl: undefined,
    etag: undefined,
    vary: undefined,
  }
  let named: string[] | undefined
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!
    const value = raw[index + 1]!
    const lower = name.toLowerCase()
    switch (lower) {
      case 'connection':
        named = connectionTokens(value.toLowerCase())
        continue
      case 'content-length':
        head.contentLength = value
        continue
      case 'etag':
        head.etag = value
        continue
      case 'vary':
        head.vary = head.vary === undefined ? value : `${head.vary}, ${value}`
        continue
      case 'content-type':
        head.contentType = value
        break
      case 'content-encoding':
        head.contentEncoding = value
        break
      case 'cache-control':
        head.cacheControl = value
        break
      case HEADERS.requestId:
      case 'server':
      case 'x-powered-by':
        continue
      default:
        if (HOP_BY_HOP.has(lower)) continue
        if (lower.startsWith(INTERNAL_HEADER_PREFIX)) {
          noteInternal(exchange, lower, value)
          continue
        }
    }
    head.names.push(lower)
    head.headers.push(name, value)
  }
  if (named) removeNamed(head, named)
  return head
}

function noteInternal(exchange: Exchange, name: string, value: string): void {
  if (name === INTERNAL_HEADERS.route) exchange.pattern = value
  else if (name === INTERNAL_HEADERS.cache) exchange.cache = value
  else if (name === INTERNAL_HEADERS.digest) exchange.digest = value
}

function removeNamed(head: UpstreamHead, named: readonly string[]): void {
  for (let index = head.headers.length - 2; index >= 0; index -= 2) {
    const lower = head.headers[index]!.toLowerCase()
    if (!named.includes(lower)) continue
    head.headers.splice(index, 2)
    head.names.splice(head.names.indexOf(lower), 1)
  }
}
