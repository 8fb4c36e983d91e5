// The headers that are sent to the client: without hop-by-hop and internal headers, with those that the gateway adds.
// Works on flat lists of names and values, which node:http takes as they are.

import type { IncomingMessage } from 'node:http'
import { CACHE_NONE } from '@portico/shared/wire/caching.ts'
import {
  HEADERS,
  INTERNAL_HEADER_PREFIX,
  INTERNAL_HEADERS,
  MIDDLEWARE_HEADER_PREFIX,
} from '@portico/shared/wire/constants.ts'
import { HOP_BY_HOP } from '@portico/shared/wire/policy/request-headers.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { isKeptFromClient } from './external-headers.ts'
import { connectionOptions } from './framing.ts'
import { rememberKinds } from './request-headers.ts'

/** The parts of an upstream's header section that decide how its body is passed on. */
export interface UpstreamHead {
  /** Flat list of the headers that are passed on, without those that have a field below. */
  headers: string[]
  /** Lower-case names in `headers`, which replace defaults. A list: for a dozen names faster than a set. */
  names: string[]
  contentType: string | undefined
  contentLength: string | undefined
  contentEncoding: string | undefined
  cacheControl: string | undefined
  etag: string | undefined
  vary: string | undefined
}

type Kind = 'plain' | 'dropped' | 'internal' | 'connection' | Exclude<keyof UpstreamHead, 'headers' | 'names'>

const KINDS: Readonly<Record<string, Kind>> = {
  connection: 'connection',
  'content-length': 'contentLength',
  'content-type': 'contentType',
  'content-encoding': 'contentEncoding',
  'cache-control': 'cacheControl',
  etag: 'etag',
  vary: 'vary',
  // The gateway writes its own request id; the other two name a program and its version.
  [HEADERS.requestId]: 'dropped',
  server: 'dropped',
  'x-powered-by': 'dropped',
}

const kindOf = rememberKinds((name): { lower: string; kind: Kind } => {
  const lower = name.toLowerCase()
  if (Object.hasOwn(KINDS, lower)) return { lower, kind: KINDS[lower]! }
  if (HOP_BY_HOP.has(lower) || lower.startsWith(MIDDLEWARE_HEADER_PREFIX)) return { lower, kind: 'dropped' }
  return { lower, kind: lower.startsWith(INTERNAL_HEADER_PREFIX) ? 'internal' : 'plain' }
})

/** Reads an upstream's header section; the exchange keeps the values of internal headers. */
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
  const { external } = exchange.found
  let connection = ''
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!
    const value = raw[index + 1]!
    const { lower, kind } = kindOf(name)
    // SECURITY: another host says nothing about this stack, and acts on nothing but its response.
    if (external && isKeptFromClient(lower, value, external.passes)) continue
    switch (kind) {
      case 'connection':
        connection += `,${value}`
        continue
      case 'internal':
        noteInternal(exchange, lower, value)
        continue
      case 'dropped':
        continue
      case 'contentLength':
      case 'etag':
        head[kind] = value
        continue
      case 'vary':
        head.vary = head.vary === undefined ? value : `${head.vary}, ${value}`
        continue
      case 'cacheControl':
        head.cacheControl = head.cacheControl === undefined ? value : `${head.cacheControl}, ${value}`
        continue
      case 'contentType':
      case 'contentEncoding':
        head[kind] = value
        break
      case 'plain':
        break
    }
    head.names.push(lower)
    head.headers.push(name, value)
  }
  if (connection !== '' && connection !== ',keep-alive' && connection !== ',close')
    removeNamed(head, connectionOptions(connection) ?? [])
  // SECURITY: a cache must not send the response of the host that conditions chose for one client to all.
  if (external && exchange.rewritesCompareClient) head.cacheControl = CACHE_NONE
  return head
}

function noteInternal(exchange: Exchange, name: string, value: string): void {
  if (name === INTERNAL_HEADERS.route) exchange.notes.pattern = value
  else if (name === INTERNAL_HEADERS.resolvedAgain) exchange.notes.resolvedAgain = value
  else if (name === INTERNAL_HEADERS.cache) exchange.notes.cache = value
  else if (name === INTERNAL_HEADERS.digest) exchange.notes.digest = value
  else if (name === INTERNAL_HEADERS.code) exchange.notes.code = value
}

/**
 * SECURITY: only headers that decide nothing here. A response must not be passed on as plain, storable or of another type
 * because its Connection header names the header that says otherwise (RFC 9110 section 7.6.1 forbids to name them).
 */
function removeNamed(head: UpstreamHead, named: readonly string[]): void {
  for (let index = head.headers.length - 2; index >= 0; index -= 2) {
    const { lower, kind } = kindOf(head.headers[index]!)
    if (kind !== 'plain' || !named.includes(lower)) continue
    head.headers.splice(index, 2)
    head.names.splice(head.names.indexOf(lower), 1)
  }
}
