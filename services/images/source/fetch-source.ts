// Fetches an original picture: from the site's second listener or from an allowed host, with every hop checked (I4).

import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { untraced } from '../../shared/node/tracing.ts'
import type { ImageSettings } from '../../shared/wire/build-output.ts'
import { HEADERS } from '../../shared/wire/constants.ts'
import type { Source } from '../params.ts'
import type { FailureStatus, SourceValidators } from '../variant.ts'
import { AddressRefusedError, createGuardedLookup, isLiteralRefused } from './address-guard.ts'
import type { SourcePatterns } from './patterns.ts'
import { readLimited } from './read-limited.ts'
import { readFreshness, readTags } from './source-freshness.ts'
import { normaliseLocal, normaliseRemote } from './source-url.ts'

/** Time for a source, all hops and the body together (I4). */
const SOURCE_TIMEOUT_MS = 5000

export type FetchedSource =
  | { kind: 'fetched'; body: Buffer; lifetimeSeconds: number; tags: string[]; validators: SourceValidators }
  /** What it does not tell stays as it was told before (RFC 9111 section 4.3.4). */
  | { kind: 'not-modified'; lifetimeSeconds: number | undefined; tags: string[] | undefined }
  /** `text` is for the visitor, `reason` for the log. */
  | { kind: 'failed'; status: FailureStatus; text: string; reason: string }

export interface SourceFetcher {
  /** Never rejects, but with the signal's reason when it aborts. */
  fetch(
    source: Source,
    options: { validators?: SourceValidators; signal: AbortSignal; requestId: string },
  ): Promise<FetchedSource>
  close(): void
}

export interface SourceFetcherDeps {
  siteUrl: URL
  basePath: string
  settings: ImageSettings
  patterns: SourcePatterns
  /** Replaces the system's resolver behind the guard. */
  lookup?: LookupFunction
  timeoutMs?: number
}

/** Every idle connection of a pool may be dead after a restart of the other side; a new one is tried in the end. */
const MOST_RETRIES = 3

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** One fetcher holds the connections to all sources. */
export function createSourceFetcher(deps: SourceFetcherDeps): SourceFetcher {
  const { siteUrl, settings, timeoutMs = SOURCE_TIMEOUT_MS } = deps
  const lookup = deps.lookup ?? createGuardedLookup(settings.dangerouslyAllowLocalIP)
  const agents = {
    // The site's address is the operator's own setting and is private as a rule.
    site: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
    http: new HttpAgent({ keepAlive: true, maxSockets: 16, lookup }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 16, lookup }),
  }

  const sendOnce = (source: Source, headers: Record<string, string>, signal: AbortSignal) => {
    const isLocal = source.kind === 'local'
    const url = isLocal ? new URL(source.url, siteUrl) : new URL(source.url)
    const secure = url.protocol === 'https:'
    const agent = isLocal ? agents.site : secure ? agents.https : agents.http
    const open = () => (secure ? requestHttps : requestHttp)(url, { agent, headers, signal })
    // SECURITY: a stranger's host learns nothing of the trace.
    const request = isLocal ? open() : untraced(open)
    const answer = new Promise<IncomingMessage>((done, failed) => {
      request.once('response', done)
      request.once('error', failed)
      request.end()
    })
    return { request, answer }
  }

  /** A kept connection may be closed by the other side at the moment it is used: that is no fault of the source. */
  const send = async (
    source: Source,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<IncomingMessage> => {
    for (let attempt = 0; ; attempt++) {
      const { request, answer } = sendOnce(source, headers, signal)
      try {
        return await answer
      } catch (error) {
        if (!request.reusedSocket || signal.aborted || attempt >= MOST_RETRIES) throw error
      }
    }
  }

  const follow = async (
    source: Source,
    headersFor: (source: Source) => Record<string, string>,
    signal: AbortSignal,
  ): Promise<FetchedSource | IncomingMessage> => {
    let current = source
    for (let hop = 0; ; hop++) {
      const response = await send(current, headersFor(current), signal)
      if (!REDIRECTS.has(response.statusCode ?? 0)) return response
      response.destroy()
      if (hop >= settings.maximumRedirects) return fail(502, 'redirects too often', `${hop + 1} redirects`)
      const next = nextHop(current, response.headers.location, deps)
      if (!next) return fail(400, 'leads to an address that is not allowed', `hop ${hop + 1} is outside the allow-list`)
      current = next
    }
  }

  return {
    async fetch(source, { validators, signal, requestId }) {
      const timeout = AbortSignal.timeout(timeoutMs)
      const headersFor = (hop: Source) => requestHeaders(hop, validators, requestId)
      try {
        const answer = await follow(source, headersFor, AbortSignal.any([signal, timeout]))
        return 'kind' in answer ? answer : await readAnswer(answer, settings)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (timeout.aborted) return fail(504, 'took too long to answer', `no whole answer in ${timeoutMs} ms`)
        return explain(error)
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** SECURITY: only these headers leave; no cookie, credential or forwarding header of the visitor does. */
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

/** The next hop if the same lists that judge parameters allow it; undefined when they do not. */
function nextHop(from: Source, location: string | undefined, deps: SourceFetcherDeps): Source | undefined {
  if (location === undefined || !URL.canParse(location, new URL(from.url, deps.siteUrl))) return undefined
  const url = new URL(location, new URL(from.url, deps.siteUrl))
  url.hash = ''
  if (from.kind === 'local' && url.origin === deps.siteUrl.origin) {
    const local = normaliseLocal(url.pathname + url.search, deps.basePath, deps.patterns.opensApi)
    return 'url' in local && deps.patterns.allowsLocal(local.url) ? { kind: 'local', url: local.url } : undefined
  }
  const remote = normaliseRemote(url.href)
  if ('rule' in remote) return undefined
  const pattern = deps.patterns.allowingRemote(remote.url)
  if (pattern === undefined) return undefined
  if (!deps.settings.dangerouslyAllowLocalIP && isLiteralRefused(remote.url.hostname)) return undefined
  return { kind: 'remote', url: remote.url.href, pattern }
}

async function readAnswer(response: IncomingMessage, settings: ImageSettings): Promise<FetchedSource> {
  const { statusCode: status = 0, headers } = response
  const { lifetimeSeconds } = readFreshness(headers, settings.minimumCacheTTL)
  const tags = readTags(headers['cache-tag'])
  if (status !== 200) {
    response.destroy()
    if (status === 304) {
      const tellsLifetime = headers['cache-control'] !== undefined || headers.expires !== undefined
      return {
        kind: 'not-modified',
        lifetimeSeconds: tellsLifetime ? lifetimeSeconds : undefined,
        tags: headers['cache-tag'] === undefined ? undefined : tags,
      }
    }
    if (status === 404 || status === 410) return fail(status, 'does not exist', `the source answered ${status}`)
    return fail(502, 'could not be fetched', `the source answered ${status}`)
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
    return fail(400, 'leads to an address that is not allowed', `${error.message} (images.dangerouslyAllowLocalIP)`)
  return fail(502, 'could not be fetched', error instanceof Error ? error.message : 'unknown')
}

function fail(status: FailureStatus, text: string, reason: string): Extract<FetchedSource, { kind: 'failed' }> {
  return { kind: 'failed', status, text: `The source of the image ${text}.`, reason }
}
