// Turns an outcome into an HTTP answer: validators, age, cache headers of both kinds, protections (I5, I11).

import type { ServerResponse } from 'node:http'
import { sendError } from '../shared/node/error-response.ts'
import type { ImageSettings } from '../shared/wire/build-output.ts'
import { HEADERS, INTERNAL_HEADERS } from '../shared/wire/constants.ts'
import { contentDisposition } from './content-disposition.ts'
import type { Outcome } from './serve-variant.ts'
import { isHashedPath } from './source/source-url.ts'
import type { Variant } from './variant.ts'

/** Browsers keep a picture for this long at most unless its path is hashed (I5). */
export const BROWSER_SECONDS = 3600

export interface SendContext {
  settings: ImageSettings
  basePath: string
  /** Milliseconds since the epoch. */
  now: number
}

/** Writes the answer to GET and HEAD. */
export function sendOutcome(response: ServerResponse, outcome: Outcome, context: SendContext): void {
  if (outcome.kind === 'variant') sendVariant(response, outcome, context)
  else sendFailure(response, outcome)
}

function sendFailure(response: ServerResponse, outcome: Extract<Outcome, { kind: 'failure' }>): void {
  const { status, text, retryAfterSeconds, remainingMs } = outcome
  const seconds = Math.floor(remainingMs / 1000)
  sendError(response, 'file', {
    status,
    message: text,
    headers: {
      vary: 'Accept',
      // What the source itself decided may be kept by others; what may mend itself any moment is not.
      'cache-control': status < 500 && seconds > 0 ? `public, max-age=${seconds}` : 'no-store',
      'cache-status': `Portico; ${status === 503 ? 'fwd=miss; detail=queue-full' : 'fwd=miss'}`,
      [INTERNAL_HEADERS.cache]: String(status),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
  })
}

function sendVariant(
  response: ServerResponse,
  outcome: Extract<Outcome, { kind: 'variant' }>,
  context: SendContext,
): void {
  const { variant, verdict } = outcome
  const { meta, body } = variant
  const ageSeconds = Math.max(0, Math.floor((context.now - meta.storedAt) / 1000))
  const leftSeconds = Math.ceil((meta.freshUntil - context.now) / 1000)
  response.setHeader('etag', meta.etag)
  response.setHeader('vary', 'Accept')
  response.setHeader('cache-control', browserCache(outcome, leftSeconds, context))
  response.setHeader('age', ageSeconds)
  response.setHeader(HEADERS.imageCache, verdict)
  response.setHeader(INTERNAL_HEADERS.cache, verdict)
  response.setHeader('cache-status', cacheStatus(outcome, leftSeconds))
  const timing = Object.entries(outcome.timings).map(([phase, ms]) => `${phase};dur=${ms.toFixed(1)}`)
  if (timing.length > 0) response.setHeader('server-timing', timing.join(', '))
  if (matches(response.req.headers['if-none-match'], meta.etag)) {
    // RFC 9110 section 15.4.5: the headers above and nothing of the body.
    response.writeHead(304)
    response.end()
    return
  }
  response.setHeader('content-type', meta.type)
  response.setHeader('content-length', body.length)
  response.setHeader('x-content-type-options', 'nosniff')
  setProtections(response, variant, context.settings)
  response.statusCode = 200
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

/** SECURITY: a picture that is opened by itself must not run anything (scripts in SVG, polyglot files). */
function setProtections(response: ServerResponse, { meta }: Variant, settings: ImageSettings): void {
  const policy = settings.contentSecurityPolicy
  const sandboxed = /(^|;)\s*sandbox(\s|;|$)/.test(policy) ? policy : `${policy.replace(/;\s*$/, '')}; sandbox;`
  response.setHeader('content-security-policy', meta.passThrough ? sandboxed.replace(/^; /, '') : policy)
  if (meta.kind === 'image')
    response.setHeader(
      'content-disposition',
      contentDisposition(settings.contentDispositionType, meta.source, meta.type),
    )
}

function browserCache(
  outcome: Extract<Outcome, { kind: 'variant' }>,
  leftSeconds: number,
  { basePath }: SendContext,
): string {
  const { verdict, stored, variant } = outcome
  if (verdict === 'FALLBACK') return 'no-store'
  if (!stored) return 'private, no-store'
  if (isHashedPath(variant.meta.source, basePath))
    return leftSeconds > 0 ? `public, max-age=${leftSeconds}, immutable` : 'public, max-age=0, must-revalidate'
  return `public, max-age=${Math.max(0, Math.min(leftSeconds, BROWSER_SECONDS))}, must-revalidate`
}

/** RFC 9211. A stale answer is a hit with a negative time to live. */
function cacheStatus(
  { verdict, stored, collapsed }: Extract<Outcome, { kind: 'variant' }>,
  leftSeconds: number,
): string {
  switch (verdict) {
    case 'HIT':
    case 'STALE':
      return `Portico; hit; ttl=${leftSeconds}`
    case 'FALLBACK':
      return `Portico; hit; ttl=${leftSeconds}; detail=wider-variant`
    case 'MISS':
      return `Portico; fwd=miss${stored ? '; stored' : ''}${collapsed ? '; collapsed' : ''}`
    default:
      return verdict satisfies never
  }
}

/** Weak comparison over the list (RFC 9110 section 13.1.2). */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((candidate) => {
    const bare = candidate.trim().replace(/^W\//, '')
    return bare === '*' || bare === etag
  })
}
