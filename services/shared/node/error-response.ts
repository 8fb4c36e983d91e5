// Turns an error into bytes in the form that its reader can use: a screen, JSON, or plain text (E2, E7).
// The renderer shows the screens of the app folder; these are the default screens for all other cases.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorTitle, NOT_FOUND_TEXT } from '../wire/error-titles.ts'
import { SERVER_EXCEPTION_TEXT } from '../wire/exception-texts.ts'
import type { ErrorBody } from '../wire/page-data.ts'
import { ServiceError } from './errors.ts'
import type { Log } from './log.ts'
import { createDigest } from './request-id.ts'

/** Who reads the response: a person, a program, or an element of a page. */
export type ErrorForm = 'document' | 'data' | 'file'

export interface ErrorContent {
  status: number
  /** Public sentence next to the title, such as the rule that a parameter broke. */
  message?: string
  digest?: string
  headers?: Record<string, string>
  details?: { limit?: number; received?: number }
}

/** The JSON form of E2. */
function errorBody(content: ErrorContent): ErrorBody {
  const { status, digest, message, details } = content
  return {
    error: {
      status,
      title: errorTitle(status),
      ...(message === undefined ? {} : { message }),
      ...(digest === undefined ? {} : { digest }),
      ...details,
    },
  }
}

/** The default screen (E1, E2, E4) as a whole document without scripts. */
export function errorDocument({ status, digest, message }: ErrorContent): string {
  const isNotFound = status === 404
  const title = isNotFound ? NOT_FOUND_TEXT : errorTitle(status)
  const text = status === 500 ? SERVER_EXCEPTION_TEXT : (message ?? title)
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${status}: ${escapeHtml(title)}</title><style>${SCREEN_STYLE}</style></head><body><main><h1>${status}</h1><p>${escapeHtml(text)}</p>${digest ? `<p><small>Digest: ${digest}</small></p>` : ''}</main></body></html>`
}

const SCREEN_STYLE =
  ':root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:1rem/1.5 system-ui,sans-serif}main{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:baseline;padding:2rem;max-width:40rem}h1{font-size:1.5rem;margin:0;font-variant-numeric:tabular-nums}p{margin:0}small{opacity:.7}'

/** Sends the response. Destroys the socket instead when a part of another response was sent already. */
export function sendError(response: ServerResponse, form: ErrorForm, content: ErrorContent): void {
  if (response.headersSent) {
    // RFC 9112 section 8: an incomplete response must not look complete.
    response.destroy()
    return
  }
  for (const name of response.getHeaderNames()) if (!KEPT_HEADERS.has(name)) response.removeHeader(name)
  response.statusCode = content.status
  for (const [name, value] of Object.entries(content.headers ?? {})) response.setHeader(name, value)
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'private, no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  let body: string
  if (form === 'data') {
    response.setHeader('content-type', 'application/json; charset=utf-8')
    body = JSON.stringify(errorBody(content))
  } else if (form === 'document') {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (!response.hasHeader('content-security-policy'))
      response.setHeader(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
      )
    body = errorDocument(content)
  } else {
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    body = `${content.status} ${content.message ?? errorTitle(content.status)}\n`
  }
  response.setHeader('content-length', Buffer.byteLength(body))
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

const KEPT_HEADERS: ReadonlySet<string> = new Set([
  'x-request-id',
  'connection',
  'allow',
  'retry-after',
  'portico-build',
])

/**
 * Turns a thrown value into an error response. A value that is not a ServiceError becomes a 500 with a digest and
 * exactly one log line with the same digest and the stack (E4).
 */
export function errorContentOf(thrown: unknown, log: Log, request: IncomingMessage): ErrorContent {
  if (thrown instanceof ServiceError && thrown.status < 500)
    return { status: thrown.status, message: thrown.text, headers: thrown.headers, details: thrown.details }
  const digest = createDigest()
  const status = thrown instanceof ServiceError ? thrown.status : 500
  log.error({ error: thrown, digest, status, method: request.method }, 'request failed')
  if (thrown instanceof ServiceError)
    return { status, message: thrown.text, digest, headers: thrown.headers, details: thrown.details }
  return { status, digest }
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
