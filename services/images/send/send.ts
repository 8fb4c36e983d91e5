// Turns an outcome into an HTTP response: validators, age, both kinds of cache headers, the name under which a browser
// saves the image (RFC 6266), protections (I5, I11). SECURITY: bytes that nothing has decoded are never shown as a
// document. What is sent was decided in serve-variant/.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { notModifiedTag } from '@portico/shared/kit/http/conditional.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import type { ErrorCode } from '@portico/shared/kit/http/errors.ts'
import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { CACHE_NONE, CACHE_SHARED, formatCacheControl } from '@portico/shared/wire/caching.ts'
import { HEADERS, INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import type { Outcome } from '../serve-variant/serve-variant.ts'
import { isUndecodedType } from '../sniff/sniff.ts'
import { isHashedPath } from '../source/source.ts'
import type { FailureStatus, Variant, VariantMeta } from '../variant/variant.ts'

/** Browsers cache an image for this long at most, unless the path is hashed (I5). */
const BROWSER_SECONDS = 3600

type VariantOutcome = Extract<Outcome, { kind: 'variant' }>

/** Prepares responses to GET and HEAD. */
export function createOutcomeSender(settings: ImageSettings, basePath: string) {
  const describe = createVariantDescriber(settings, basePath)
  /** `now` is milliseconds since the epoch. */
  return function sendOutcome(request: IncomingMessage, response: ServerResponse, outcome: Outcome, now: number) {
    if (outcome.kind === 'failure') return sendFailure(response, outcome)
    const { variant, verdict } = outcome
    const { meta, body } = variant
    const facts = describe(variant)
    const leftSeconds = Math.ceil((meta.freshUntil - now) / 1000)
    const ageSeconds = Math.max(0, Math.floor((now - meta.storedAt) / 1000))
    const headers = ['etag', meta.etag, 'vary', 'Accept']
    headers.push('cache-control', browserCache(outcome, { ageSeconds, leftSeconds, isHashed: facts.isHashed }))
    headers.push('age', String(ageSeconds))
    headers.push(HEADERS.cache, verdict, INTERNAL_HEADERS.cache, verdict)
    headers.push('cache-status', cacheStatus(outcome, leftSeconds))
    const timing = Object.entries(outcome.made?.timings ?? {}).map(([phase, ms]) => `${phase};dur=${ms.toFixed(1)}`)
    if (timing.length > 0) headers.push('server-timing', timing.join(', '))
    if (notModifiedTag(request.headers['if-none-match'], meta.etag) !== undefined) {
      // RFC 9110 section 15.4.5: a 304 has the headers above and none that describe the body.
      response.writeHead(304, headers)
      response.end()
      return
    }
    response.writeHead(200, headers.concat(facts.headers))
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

interface VariantFacts {
  /** The headers that are equal in all responses with this variant. */
  headers: readonly string[]
  /** The source's content never changes under its address. */
  isHashed: boolean
}

/** Computes the facts of a variant once; the facts are collected together with the variant. */
function createVariantDescriber(settings: ImageSettings, basePath: string): (variant: Variant) => VariantFacts {
  const known = new WeakMap<VariantMeta, VariantFacts>()
  // SECURITY: an image that is opened as a document must not run scripts (SVG, polyglot files).
  const policy = settings.contentSecurityPolicy
  const sandboxed = /(^|;)\s*sandbox(\s|;|$)/.test(policy) ? policy : `${policy.replace(/;\s*$/, '')}; sandbox;`
  const passedThrough = sandboxed.replace(/^; /, '')
  return function describe({ meta, body }) {
    const before = known.get(meta)
    if (before) return before
    const headers = ['content-type', meta.type, 'content-length', String(body.length)]
    headers.push('x-content-type-options', 'nosniff')
    headers.push('content-security-policy', meta.passThrough ? passedThrough : policy)
    if (meta.kind === 'image') {
      // SECURITY: nothing has decoded these bytes: they are never shown as a document, whatever the setting says.
      const disposition = isUndecodedType(meta.type) ? 'attachment' : settings.contentDispositionType
      headers.push('content-disposition', contentDisposition(disposition, meta.source, meta.type))
    }
    const facts = { headers, isHashed: isHashedPath(meta.source, basePath) }
    known.set(meta, facts)
    return facts
  }
}

/** A cached failure has its status, so that its code is found by the status. */
const FAILURE_CODES: Readonly<Record<FailureStatus | 429, ErrorCode>> = {
  400: 'image-source-not-allowed',
  404: 'image-source-missing',
  410: 'image-source-gone',
  413: 'image-source-too-large',
  415: 'image-source-undecodable',
  429: 'too-many-requests',
  502: 'image-source-failed',
  503: 'images-overloaded',
  504: 'image-late',
}

function sendFailure(response: ServerResponse, outcome: Extract<Outcome, { kind: 'failure' }>): void {
  const { status, text, retryAfterSeconds, remainingMs, rejection } = outcome
  const seconds = Math.floor(remainingMs / 1000)
  const retryAfter = retryAfterSeconds ?? (status === 503 ? Math.max(1, Math.ceil(remainingMs / 1000)) : undefined)
  sendError(response, 'file', {
    code: FAILURE_CODES[status],
    message: text,
    headers: {
      vary: 'Accept',
      // Shared caches may store a failure that the source decided, but no fault that may end at any moment.
      'cache-control': status < 500 && seconds > 0 ? `public, max-age=${seconds}` : 'no-store',
      'cache-status': `Portico; fwd=miss${rejection === undefined ? '' : `; detail=${rejection}`}`,
      [INTERNAL_HEADERS.cache]: String(status),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
  })
}

/** A cache subtracts Age from max-age (RFC 9111 section 4.2.3), so max-age includes the age. */
function browserCache(
  { verdict, made }: VariantOutcome,
  { ageSeconds, leftSeconds, isHashed }: { ageSeconds: number; leftSeconds: number; isHashed: boolean },
): string {
  if (verdict === 'FALLBACK') return 'no-store'
  if (made?.isStorable === false) return CACHE_NONE
  if (leftSeconds <= 0) return CACHE_SHARED
  const freshSeconds = ageSeconds + (isHashed ? leftSeconds : Math.min(leftSeconds, BROWSER_SECONDS))
  return formatCacheControl({ audience: 'everyone', freshSeconds, isImmutable: isHashed })
}

/** RFC 9211. A stale response is a hit with a negative time to live. */
function cacheStatus({ verdict, made }: VariantOutcome, leftSeconds: number): string {
  switch (verdict) {
    case 'HIT':
    case 'STALE':
      return `Portico; hit; ttl=${leftSeconds}`
    case 'FALLBACK':
      return `Portico; hit; ttl=${leftSeconds}; detail=wider-variant`
    case 'MISS':
      return `Portico; fwd=miss${made?.isStorable ? '; stored' : ''}${made?.collapsed ? '; collapsed' : ''}`
    default:
      return verdict satisfies never
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/avif': 'avif',
  'image/webp': 'webp',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'image/x-icon': 'ico',
  'image/bmp': 'bmp',
  'image/x-icns': 'icns',
  'image/jxl': 'jxl',
  'image/heic': 'heic',
}

/** The source's name with the extension of the type that is sent. SECURITY: only plain characters reach the header. */
function contentDisposition(disposition: 'inline' | 'attachment', source: string, type: string): string {
  const { pathname } = new URL(source, 'http://site.invalid')
  const last = pathname.slice(pathname.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
  const stem = last
    .replace(/%[0-9a-f]{2}/gi, '_')
    .replace(/[^A-Za-z0-9_.-]/g, '_')
    .slice(0, 80)
  return `${disposition}; filename="${stem === '' ? 'image' : stem}.${EXTENSIONS[type] ?? 'bin'}"`
}
