// Passes an upstream's response on to the client: headers immediately, then the body as it arrives, compressed where
// that helps: only text that has no encoding yet (G4). When the upstream breaks off, the proxy destroys the response, so
// that it does not look complete.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { createEncodingChooser } from '@portico/shared/kit/http/accept-encoding.ts'
import { compressorsFor } from '@portico/shared/kit/http/compress.ts'
import { formTag, notModifiedTag } from '@portico/shared/kit/http/conditional.ts'
import { tenths } from '@portico/shared/kit/observe/request-log.ts'
import { whenClosed } from '@portico/shared/kit/when-closed.ts'
import { CACHE_GUARDED } from '@portico/shared/wire/caching.ts'
import { RESPONSE_STALLED_MS } from '@portico/shared/wire/constants.ts'
import { COMPRESSION, type Encoding, isCompressibleType, mediaTypeOf } from '@portico/shared/wire/encodings.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { readUpstreamHead, type UpstreamHead } from '../headers/headers.ts'
import { addTimings, type HeadWriter } from './head.ts'

/** Whole responses up to this size are compressed in one call, larger responses as they pass. */
const ONE_CALL_BYTES = 256 * 1024

/** Whether a response of this type is a stream that the upstream does not end. */
function isEventStream(contentType: string | undefined): boolean {
  return mediaTypeOf(contentType) === 'text/event-stream'
}

/** Whether a response may be sent in another encoding; such a response varies by Accept-Encoding. */
function isCompressible(status: number, head: UpstreamHead): boolean {
  if (status < 200 || status === 204 || status === 206 || status === 304) return false
  if (head.contentEncoding !== undefined || head.names.includes('content-range')) return false
  if (head.cacheControl?.includes('no-transform')) return false
  if (head.contentLength !== undefined && Number(head.contentLength) < COMPRESSION.passing.leastBytes) return false
  return isCompressibleType(head.contentType)
}

const COMPRESSORS = compressorsFor('passing')
const encodingOf = createEncodingChooser(COMPRESSION.passing.preferred)

interface ResponseContext {
  exchange: Exchange
  request: IncomingMessage
  response: ServerResponse
  upstream: IncomingMessage
  head: UpstreamHead
  /** Completes the head with these headers in addition, and writes it. */
  write: (...more: string[]) => void
  status: number
  stalledMs: number
  draining: AbortSignal | undefined
}

export type UpstreamResponseSender = ReturnType<typeof createUpstreamResponseSender>

/**
 * Creates the sender of upstream responses. A client that reads nothing holds a connection to a replica, and replicas
 * accept a bounded number of connections: after `stalledMs` the response is destroyed.
 */
export function createUpstreamResponseSender(
  writer: HeadWriter,
  { stalledMs = RESPONSE_STALLED_MS, draining }: { stalledMs?: number; draining?: AbortSignal },
) {
  return (exchange: Exchange, request: IncomingMessage, response: ServerResponse, upstream: IncomingMessage) => {
    const status = upstream.statusCode ?? 502
    const head = readUpstreamHead(upstream, exchange)
    const write = (...more: string[]) => writeHead(context, more, writer)
    const context: ResponseContext = { exchange, request, response, upstream, status, head, write, stalledMs, draining }
    const compressible = isCompressible(status, head)
    const encoding = compressible ? encodingOf(request.headers['accept-encoding']) : undefined
    addOwnHeaders(context, compressible || isUnchangedPage(context))
    if (request.method === 'HEAD' || status === 204 || status === 304) return sendHeadOnly(context, encoding)
    if (encoding === undefined) return sendPlain(context)
    // Sizes above the one-call limit and unknown ones are compressed as they pass.
    const length = Number(head.contentLength ?? Number.POSITIVE_INFINITY)
    return length <= ONE_CALL_BYTES ? sendWhole(context, encoding, length) : sendStream(context, encoding)
  }
}

/** A 304 has the Vary header of the 200 (RFC 9110 section 15.4.5), and pages are compressed here. */
function isUnchangedPage({ status, head, exchange }: ResponseContext): boolean {
  return status === 304 && head.etag !== undefined && exchange.found.route?.by === 'renderer'
}

function addOwnHeaders({ head, exchange }: ResponseContext, varies: boolean) {
  const { headers } = head
  const vary = varies ? withAcceptEncoding(head.vary) : head.vary
  if (vary !== undefined) headers.push('vary', vary)
  const upstreamMs = exchange.notes.upstreamMs ?? 0
  const gatewayMs = performance.now() - exchange.startedAt - upstreamMs
  const times = `upstream;dur=${tenths(upstreamMs)}, gateway;dur=${tenths(gatewayMs)}`
  // The images service has its own entry for its cache.
  const isPage = exchange.found.route?.by === 'renderer' && exchange.notes.cache !== undefined
  addTimings(headers, isPage ? `cache;desc=${exchange.notes.cache}, ${times}` : times, exchange)
}

function writeHead(
  { head, exchange, request, response, status }: ResponseContext,
  more: readonly string[],
  writer: HeadWriter,
): void {
  const { headers, names, cacheControl, contentLength } = head
  headers.push(...more)
  // SECURITY: caches choose a lifetime for a response without one, also for what middleware lets only some clients see.
  const otherwise = { by: 'unless-said', text: exchange.guarded ? CACHE_GUARDED : undefined } as const
  writer.write(request, response, {
    status,
    headers,
    has: (name) => names.includes(name),
    caching: cacheControl === undefined ? otherwise : { by: 'response', text: cacheControl },
    isStreamed: contentLength === undefined,
  })
}

/** The Content-Length of a HEAD is that of the GET, where it is known. */
function sendHeadOnly(
  { head, response, upstream, status, exchange, write }: ResponseContext,
  encoding: Encoding | undefined,
): void {
  const { contentLength, etag } = head
  const framing: string[] = []
  if (encoding) framing.push('content-encoding', encoding)
  else if (contentLength !== undefined && status !== 204) framing.push('content-length', contentLength)
  const heldTag = status === 304 && etag !== undefined ? notModifiedTag(exchange.ifNoneMatch, etag) : undefined
  const tag = encoding ? tagOf(etag, encoding) : (heldTag ?? etag)
  write(...etagOf(tag), ...framing)
  response.end()
  upstream.resume()
}

function sendPlain({ head, response, upstream, write, stalledMs, draining }: ResponseContext): void {
  const { contentLength, etag } = head
  write(...etagOf(etag), ...(contentLength === undefined ? [] : ['content-length', contentLength]))
  const expected = contentLength === undefined ? -1 : Number(contentLength)
  let receivedBytes = 0
  upstream.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length
    if (response.writableEnded) return
    // The body is complete: header, body and end are one write.
    if (receivedBytes === expected) response.end(chunk)
    else if (!response.write(chunk)) waitForDrain(upstream, response, stalledMs)
  })
  upstream.on('end', () => {
    if (!response.writableEnded) response.end()
  })
  // The headers of a stream must be sent before its first piece arrives.
  if (expected < 0) response.flushHeaders()
  if (draining && isEventStream(head.contentType)) endWith(draining, response)
}

/** EventSource reconnects automatically; an open stream would delay the stop and the restart of the gateway (O5). */
function endWith(draining: AbortSignal, response: ServerResponse): void {
  const end = () => void response.end()
  if (draining.aborted) end()
  draining.addEventListener('abort', end)
  whenClosed(response, () => draining.removeEventListener('abort', end))
}

/** The client reads slower than the source sends. */
function waitForDrain(source: Readable, response: ServerResponse, stalledMs: number): void {
  source.pause()
  const timer = setTimeout(() => response.destroy(), stalledMs).unref()
  response.once('drain', () => {
    clearTimeout(timer)
    source.resume()
  })
}

function sendWhole({ head, response, upstream, write }: ResponseContext, encoding: Encoding, length: number): void {
  const chunks: Buffer[] = []
  upstream.on('data', (chunk: Buffer) => chunks.push(chunk))
  upstream.on('end', () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)
    COMPRESSORS[encoding].whole(body, (error, compressed) => {
      if (response.destroyed) return
      const { etag } = head
      if (error || compressed.length >= body.length) {
        write(...etagOf(etag), 'content-length', String(body.length))
        response.end(body)
        return
      }
      const length = String(compressed.length)
      write(...etagOf(tagOf(etag, encoding)), 'content-encoding', encoding, 'content-length', length)
      response.end(compressed)
    })
  })
}

function sendStream({ head, response, upstream, write, stalledMs }: ResponseContext, encoding: Encoding): void {
  const { etag, contentLength } = head
  write(...etagOf(tagOf(etag, encoding)), 'content-encoding', encoding)
  response.flushHeaders()
  const { stream, flush } = COMPRESSORS[encoding].createStream()
  // Pieces of a response of unknown length may be far apart; pieces of a known length follow immediately.
  const flushes = contentLength === undefined
  upstream.on('data', (chunk: Buffer) => {
    const hasRoom = stream.write(chunk)
    if (flushes) flush()
    if (!hasRoom) upstream.pause()
  })
  stream.on('drain', () => upstream.resume())
  upstream.on('end', () => stream.end())
  stream.on('data', (chunk: Buffer) => {
    if (!response.write(chunk)) waitForDrain(stream, response, stalledMs)
  })
  stream.on('end', () => response.end())
  stream.on('error', () => response.destroy())
  whenClosed(response, () => stream.destroy())
}

function tagOf(etag: string | undefined, encoding: Encoding): string | undefined {
  return etag === undefined ? undefined : formTag(etag, encoding, 'weak')
}

function etagOf(tag: string | undefined): string[] {
  return tag === undefined ? [] : ['etag', tag]
}

function withAcceptEncoding(vary: string | undefined): string {
  if (vary === undefined) return 'accept-encoding'
  return vary.includes('*') || /accept-encoding/i.test(vary) ? vary : `${vary}, accept-encoding`
}
