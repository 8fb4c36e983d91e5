// Turns an outcome into an answer: status, caching, ETag, content security policy, body.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendError } from '../shared/node/error-response.ts'
import { HEADERS, INTERNAL_HEADERS } from '../shared/wire/constants.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { encodeLocation } from './locations.ts'
import type { AuthorHeaders, Outcome } from './outcome.ts'

const TYPES = { html: 'text/html; charset=utf-8', json: 'application/json; charset=utf-8' } as const
const SHARED = 'public, max-age=0, must-revalidate'
const PRIVATE = 'private, no-store'

/** `as` decides the form of errors: a screen or JSON. */
export async function sendOutcome(
  request: IncomingMessage,
  response: ServerResponse,
  outcome: Outcome,
  { as, buildId }: { as: 'html' | 'data'; buildId: string },
): Promise<void> {
  response.setHeader(HEADERS.build, buildId)
  response.setHeader(INTERNAL_HEADERS.route, outcome.route)
  const isHead = request.method === 'HEAD'
  switch (outcome.kind) {
    case 'cached':
      return sendCached(request, response, outcome)
    case 'whole': {
      if (outcome.digest) response.setHeader(INTERNAL_HEADERS.digest, outcome.digest)
      setAuthorHeaders(response, outcome.author)
      if (outcome.type === 'html') response.setHeader('content-security-policy', contentSecurityPolicy())
      return sendBody(response, outcome.status, outcome.type, outcome.body, isHead)
    }
    case 'redirect':
      setAuthorHeaders(response, outcome.author)
      response.writeHead(outcome.status, { location: encodeLocation(outcome.location), 'content-length': 0 })
      response.end()
      return
    case 'error':
      if (outcome.digest) response.setHeader(INTERNAL_HEADERS.digest, outcome.digest)
      return sendError(response, as === 'data' ? 'data' : 'document', outcome)
    case 'stream':
      setAuthorHeaders(response, outcome.author)
      response.setHeader('content-security-policy', contentSecurityPolicy(outcome.nonce))
      response.writeHead(outcome.status, { 'content-type': TYPES.html })
      if (!isHead) await outcome.pipe(response)
      response.end()
  }
}

function sendCached(
  request: IncomingMessage,
  response: ServerResponse,
  outcome: Extract<Outcome, { kind: 'cached' }>,
): void {
  response.setHeader(INTERNAL_HEADERS.cache, outcome.verdict)
  response.setHeader('cache-control', outcome.status === 200 ? SHARED : PRIVATE)
  for (const cookie of outcome.setCookies ?? []) response.appendHeader('set-cookie', cookie)
  if (outcome.type === 'html') response.setHeader('content-security-policy', contentSecurityPolicy())
  if (outcome.status === 200) {
    response.setHeader('etag', outcome.etag)
    if (matchesEtag(request.headers['if-none-match'], outcome.etag)) {
      response.writeHead(304)
      response.end()
      return
    }
  }
  sendBody(response, outcome.status, outcome.type, outcome.body, request.method === 'HEAD')
}

function sendBody(
  response: ServerResponse,
  status: number,
  type: 'html' | 'json',
  body: string | Buffer,
  isHead: boolean,
): void {
  response.writeHead(status, { 'content-type': TYPES[type], 'content-length': Buffer.byteLength(body) })
  response.end(isHead ? undefined : body)
}

/** What the page's code set; nobody keeps the answer unless it says otherwise (D2). */
function setAuthorHeaders(response: ServerResponse, { headers, setCookies }: AuthorHeaders): void {
  response.setHeader('cache-control', PRIVATE)
  for (const [name, value] of Object.entries(headers)) if (!FRAMEWORKS_OWN.has(name)) response.setHeader(name, value)
  for (const cookie of setCookies) response.appendHeader('set-cookie', cookie)
}

/** Headers that describe the body as it is sent; page code cannot know them. */
const FRAMEWORKS_OWN: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'content-type',
])

/** RFC 9110 section 13.1.2: weak comparison, lists and `*`. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header) return false
  return header === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
