// Fetches an original image from the site's second listener or from an allowed host, checks every hop, limits the bytes
// before and after decoding the content coding (I4), and computes how long the response is fresh (I5, RFC 9111 sections
// 4.2 and 5.2). Never rejects but for an abort: every fault is a result. allowed-sources.ts decides which addresses are
// sources; what the bytes are is left to sniff/.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Transform } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { AddressRefusedError, createGuardedLookup } from '@portico/shared/kit/addresses/address-guard.ts'
import { untraced } from '@portico/shared/kit/observe/tracing.ts'
import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { isForOneClient, parseCacheControl } from '@portico/shared/wire/caching.ts'
import { HEADERS, IMAGE_SOURCE_MS, LONGEST_CACHE_SECONDS } from '@portico/shared/wire/constants.ts'
import { type Failed, type FailureStatus, failed, type SourceValidators } from '../variant/variant.ts'
import type { Source, SourcePatterns } from './allowed-sources.ts'

export {
  createSourcePatterns,
  isHashedPath,
  normaliseLocal,
  normaliseRemote,
  originOf,
  type Source,
  type SourcePatterns,
  spellPath,
} from './allowed-sources.ts'

export type FetchedSource =
  | { kind: 'fetched'; body: Buffer; lifetimeSeconds: number; tags: string[]; validators: SourceValidators }
  /** Undefined members keep the values of the stored response (RFC 9111 section 4.3.4). */
  | { kind: 'not-modified'; lifetimeSeconds: number | undefined; tags: string[] | undefined }
  | Failed

interface FetchOptions {
  validators?: SourceValidators
  signal: AbortSignal
  requestId: string
}

export type SourceFetcher = ReturnType<typeof createSourceFetcher>

/** How sources are reached. */
export interface SourceNetwork {
  /** Instead of the guarded lookup. */
  lookup?: LookupFunction
  timeoutMs?: number
  /** Whether middleware may guard a path of the site. */
  isGuarded?: ((pathname: string) => boolean) | undefined
}

interface SourceFetcherDeps extends SourceNetwork {
  siteUrl: URL
  settings: ImageSettings
  patterns: SourcePatterns
}

/**
 * After a restart of the source every idle connection of a pool may be dead; the last attempt uses a new connection.
 */
const MOST_RETRIES = 3

/**
 * A kept connection to the site may lead to a machine that died, which closes nothing: after so long without a response
 * the request is sent again on a new connection, which the system makes to a replica that accepts it.
 */
const SILENT_MS = 2000

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** One fetcher holds the connections to all sources. */
export function createSourceFetcher(deps: SourceFetcherDeps) {
  const { timeoutMs = IMAGE_SOURCE_MS } = deps
  const { send, close } = createSender(deps)
  return {
    /** Rejects only with the signal's reason when the signal aborts. */
    async fetch(source: Source, { validators, signal, requestId }: FetchOptions): Promise<FetchedSource> {
      const timeout = AbortSignal.timeout(timeoutMs)
      const eitherSignal = AbortSignal.any([signal, timeout])
      try {
        let hop = source
        for (let redirects = 0; ; redirects++) {
          const response = await send(hop, requestHeaders(hop, validators, requestId), eitherSignal)
          if (!REDIRECTS.has(response.statusCode ?? 0)) return await readResponse(response, deps.settings)
          response.destroy()
          if (redirects >= deps.settings.maximumRedirects)
            return fail(502, 'redirects too often', `${redirects + 1} redirects`)
          const next = nextHop(hop, response.headers.location, deps)
          const reason = `hop ${redirects + 1} is outside the allow-list`
          if (!next) return fail(400, 'redirects to an address that is not allowed', reason)
          hop = next
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (timeout.aborted) return fail(504, 'took too long to respond', `no complete response in ${timeoutMs} ms`)
        return explain(error)
      }
    },
    close,
  }
}

/** Sends the request for one hop. */
function createSender({ siteUrl, settings, lookup: given }: SourceFetcherDeps) {
  const lookup = given ?? createGuardedLookup(settings.dangerouslyAllowLocalIP)
  const agents = {
    // Without guard: the operator sets the site's address, which is usually private.
    site: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
    http: new HttpAgent({ keepAlive: true, maxSockets: 16, lookup }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 16, lookup }),
  }
  const open = ({ kind, url: address }: Source, headers: Record<string, string>, signal: AbortSignal) => {
    const url = new URL(address, siteUrl)
    const secure = url.protocol === 'https:'
    const agent = kind === 'local' ? agents.site : secure ? agents.https : agents.http
    return (secure ? requestHttps : requestHttp)(url, { agent, headers, signal })
  }
  // The others lead to the same machine, or are opened again.
  const closeIdle = () => {
    for (const socket of Object.values(agents.site.freeSockets).flat()) socket?.destroy()
  }
  return {
    /** A kept connection that ended before its reuse, with or without notice, is not a fault: sends the request again. */
    async send(source: Source, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
      for (let attempt = 0; ; attempt++) {
        // SECURITY: the trace headers are not sent to foreign hosts.
        const request =
          source.kind === 'local' ? open(source, headers, signal) : untraced(() => open(source, headers, signal))
        try {
          return await responseOf(request, source.kind === 'local' ? closeIdle : undefined)
        } catch (error) {
          if (!request.reusedSocket || signal.aborted || attempt >= MOST_RETRIES) throw error
        }
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** Calls `onSilent` and rejects where a kept connection brings no response in time. */
function responseOf(request: ClientRequest, onSilent: (() => void) | undefined): Promise<IncomingMessage> {
  return new Promise<IncomingMessage>((done, failed) => {
    let silent: NodeJS.Timeout | undefined
    request.once('socket', () => {
      if (!onSilent || !request.reusedSocket) return
      silent = setTimeout(() => {
        onSilent()
        request.destroy(new Error(`no response on a kept connection in ${SILENT_MS} ms`))
      }, SILENT_MS)
    })
    request.once('response', (response) => {
      clearTimeout(silent)
      done(response)
    })
    request.once('error', (error) => {
      clearTimeout(silent)
      failed(error)
    })
    request.end()
  })
}

/** SECURITY: only these headers are sent; no cookie, credential or forwarding header of the client. */
function requestHeaders(
  source: Source,
  validators: SourceValidators | undefined,
  requestId: string,
): Record<string, string> {
  return {
    accept: 'image/*,*/*;q=0.5',
    'accept-encoding': 'gzip, br',
    'user-agent': 'Portico-Images',
    ...(source.kind === 'local' ? { [HEADERS.requestId]: requestId } : {}),
    ...(validators?.etag ? { 'if-none-match': validators.etag } : {}),
    ...(validators?.modified ? { 'if-modified-since': validators.modified } : {}),
  }
}

/**
 * The next hop, if the allow-lists for parameters allow the hop too; else undefined. SECURITY: middleware has
 * decided about the path of the first hop only.
 */
function nextHop(
  from: Source,
  location: string | undefined,
  { siteUrl, patterns, isGuarded }: SourceFetcherDeps,
): Source | undefined {
  const base = new URL(from.url, siteUrl)
  if (location === undefined || !URL.canParse(location, base)) return undefined
  const url = new URL(location, base)
  url.hash = ''
  const isLocal = from.kind === 'local' && url.origin === siteUrl.origin
  const next = isLocal ? patterns.parseLocal(url.pathname + url.search) : patterns.parseRemote(url.href)
  if ('rule' in next) return undefined
  return isLocal && isGuarded?.(url.pathname) ? undefined : next
}

async function readResponse(response: IncomingMessage, settings: ImageSettings): Promise<FetchedSource> {
  const { statusCode: status = 0, headers } = response
  const lifetimeSeconds = readLifetimeSeconds(headers, settings.minimumCacheTTL)
  const tags = readTags(headers['cache-tag'])
  if (status !== 200) {
    response.destroy()
    if (status === 304) {
      const hasLifetime = headers['cache-control'] !== undefined || headers.expires !== undefined
      return {
        kind: 'not-modified',
        lifetimeSeconds: hasLifetime ? lifetimeSeconds : undefined,
        tags: headers['cache-tag'] === undefined ? undefined : tags,
      }
    }
    if (status === 404 || status === 410) return fail(status, 'does not exist', `the source responded ${status}`)
    return fail(502, 'could not be fetched', `the source responded ${status}`)
  }
  const limited = await readLimited(response, settings.maximumResponseBody)
  if (limited.kind === 'too-large')
    return fail(413, 'is too large', `more than ${settings.maximumResponseBody} bytes (images.maximumResponseBody)`)
  if (limited.kind === 'unknown-coding') return fail(502, 'could not be fetched', `content coding ${limited.coding}`)
  const { body, hash } = limited
  const validators: SourceValidators = { hash }
  if (headers.etag) validators.etag = headers.etag
  if (headers['last-modified']) validators.modified = headers['last-modified']
  return { kind: 'fetched', body, lifetimeSeconds, tags, validators }
}

function explain(error: unknown): FetchedSource {
  if (error instanceof AddressRefusedError)
    return fail(400, 'has an address that is not allowed', `${error.message} (images.dangerouslyAllowLocalIP)`)
  return fail(502, 'could not be fetched', error instanceof Error ? error.message : 'unknown')
}

/** A failure of a source; `text` continues the sentence for the client. */
export function fail(status: FailureStatus, text: string, reason: string): Failed {
  return failed(status, `The source of the image ${text}.`, reason)
}

type LimitedBody =
  /** `hash` is the SHA-256 of the body. */
  { kind: 'body'; body: Buffer; hash: string } | { kind: 'too-large' } | { kind: 'unknown-coding'; coding: string }

/** SECURITY: a map, because a source chooses the name, and an object inherits members (`constructor`). */
const DECODERS = new Map<string, (response: IncomingMessage) => Transform | Promise<Transform>>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', createInflateFor],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress()],
])

/**
 * Bytes per turn of the event loop: node:net delivers 2 MB in one turn, and hashing them delays cached responses by 2
 * ms.
 */
const TURN_BYTES = 128 * 1024

/**
 * Rejects when the body is incomplete or damaged. SECURITY: the limit applies to the bytes on the wire and to the bytes
 * after decompression, so that a small response cannot fill the memory.
 */
async function readLimited(response: IncomingMessage, limitBytes: number): Promise<LimitedBody> {
  const declared = Number(response.headers['content-length'])
  if (declared > limitBytes) {
    response.destroy()
    return { kind: 'too-large' }
  }
  const coding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const createDecoder = DECODERS.get(coding)
  if (!createDecoder && coding !== 'identity' && coding !== '') {
    response.destroy()
    return { kind: 'unknown-coding', coding: coding.slice(0, 40) }
  }
  const stream = createDecoder ? pipeThrough(response, await createDecoder(response), limitBytes) : response
  // With a known length all chunks are copied into one buffer: joining the chunks at the end would need twice the
  // memory and delay cached responses. For the same reason the hash is updated chunk by chunk.
  const known = createDecoder || !(declared >= 0) ? undefined : Buffer.allocUnsafeSlow(declared)
  const chunks: Buffer[] = []
  const hash = createHash('sha256')
  let received = 0
  let nextPause = TURN_BYTES
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received > limitBytes) throw new TooLargeError('the body is too large')
      if (known) chunk.copy(known, received - chunk.length)
      else chunks.push(chunk)
      hash.update(chunk)
      if (received < nextPause) continue
      nextPause = received + TURN_BYTES
      await nextTurn()
    }
  } catch (error) {
    response.destroy()
    if (error instanceof TooLargeError) return { kind: 'too-large' }
    throw error
  }
  return { kind: 'body', body: known ?? Buffer.concat(chunks), hash: hash.digest('base64url') }
}

class TooLargeError extends Error {
  override name = 'TooLargeError'
}

/**
 * Accepts both forms of `deflate`: the zlib format, and the compressed data alone, which some servers send and HTTP
 * clients accept (RFC 9110 section 8.4.1.2). The low four bits of the first zlib byte are the method, 8 (RFC 1950).
 */
async function createInflateFor(response: IncomingMessage): Promise<Transform> {
  await once(response, 'readable')
  // A stream without an encoding returns Buffers, and null at its end.
  const chunk = response.read() as Buffer | null
  if (chunk) response.unshift(chunk)
  return chunk && (chunk[0]! & 0x0f) !== 8 ? createInflateRaw() : createInflate()
}

function pipeThrough(response: IncomingMessage, decoder: Transform, limitBytes: number): Transform {
  let received = 0
  response.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > limitBytes) decoder.destroy(new TooLargeError('the body is too large'))
  })
  response.once('error', (error) => decoder.destroy(error))
  response.once('aborted', () => decoder.destroy(new Error('the body is incomplete')))
  return response.pipe(decoder)
}

/**
 * `s-maxage`, else `max-age`, else `Expires`, minus `Age`; at least `minimumSeconds`; 0 for `no-store` and `private`,
 * with which a response may not be stored.
 */
export function readLifetimeSeconds(headers: IncomingHttpHeaders, minimumSeconds: number): number {
  const text = headers['cache-control']
  if (isForOneClient(text)) return 0
  const directives = parseCacheControl(text)
  const stated = directives.get('s-maxage') ?? directives.get('max-age') ?? secondsUntilExpiry(headers)
  const age = parseSeconds(headers.age) ?? 0
  const lifetime = directives.has('no-cache') ? 0 : (parseSeconds(stated) ?? 0) - age
  return Math.min(LONGEST_CACHE_SECONDS, Math.max(minimumSeconds, lifetime))
}

/** Tags of a Cache-Tag header: separated by commas or spaces, at most 64 of at most 128 characters. */
export function readTags(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  const tags = text.split(/[,\s]+/).filter((tag) => tag !== '' && tag.length <= 128)
  return [...new Set(tags)].slice(0, 64)
}

function parseSeconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,12}$/.test(value) ? Number(value) : undefined
}

function secondsUntilExpiry(headers: IncomingHttpHeaders): string | undefined {
  const expires = Date.parse(headers.expires ?? '')
  const date = Date.parse(headers.date ?? '')
  if (Number.isNaN(expires) || Number.isNaN(date)) return undefined
  return String(Math.max(0, Math.round((expires - date) / 1000)))
}
