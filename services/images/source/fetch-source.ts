// Fetches an original image from the site's second listener or from an allowed host, and checks every hop (I4).

import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { AddressRefusedError, createGuardedLookup } from '@portico/shared/kit/addresses/address-guard.ts'
import { untraced } from '@portico/shared/kit/observe/tracing.ts'
import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { HEADERS, IMAGE_SOURCE_MS } from '@portico/shared/wire/constants.ts'
import { type Failed, type FailureStatus, failed, type SourceValidators } from '../cache/variant.ts'
import type { Source, SourcePatterns } from './patterns.ts'
import { readLimited } from './read-limited.ts'
import { readLifetimeSeconds, readTags } from './source-freshness.ts'

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
