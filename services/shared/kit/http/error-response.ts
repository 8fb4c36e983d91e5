// Turns an error into bytes in the form that its reader can use: a screen, JSON, or plain text (E2, E7).
// The renderer shows the screens of the app folder; these are the default screens for all other cases.

import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { CACHE_NONE } from '../../wire/caching.ts'
import { INTERNAL_HEADERS } from '../../wire/constants.ts'
import { ERROR_CATALOGUE } from '../../wire/errors/error-catalogue.ts'
import { errorTitle, NOT_FOUND_TEXT } from '../../wire/errors/error-titles.ts'
import { SERVER_EXCEPTION_TEXT } from '../../wire/errors/exception-texts.ts'
import type { ErrorBody } from '../../wire/page-data.ts'
import type { PolicyHeader } from '../../wire/policy/content-security-policy.ts'
import type { Log } from '../observe/log.ts'
import { type ErrorCode, type ErrorContent, ModuleFault, ServiceError } from './errors.ts'
import { createDigest } from './request-id.ts'

/** Who reads the response: a person, a program, or an element of a page. */
export type ErrorForm = 'document' | 'data' | 'file'

/**
 * Sends the error response of a service behind the gateway: internal headers carry code and digest to request logs.
 * Destroys the socket instead when a part of another response was sent already.
 */
export function sendError(response: ServerResponse, form: ErrorForm, content: ErrorContent): void {
  const { code, digest, headers } = content
  const internal = { [INTERNAL_HEADERS.code]: code, ...(digest !== undefined && { [INTERNAL_HEADERS.digest]: digest }) }
  sendPublicError(response, form, { ...content, headers: { ...headers, ...internal } })
}

/** As `sendError`, for responses that the client receives as they are. */
export function sendPublicError(response: ServerResponse, form: ErrorForm, content: ErrorContent): void {
  if (response.headersSent) {
    // RFC 9112 section 8: an incomplete response must not look complete.
    response.destroy()
    return
  }
  for (const name of response.getHeaderNames()) if (!KEPT_HEADERS.has(name)) response.removeHeader(name)
  response.statusCode = ERROR_CATALOGUE[content.code].status
  // Node's own function: the response of an API handler refuses the handler's internal headers, not these.
  for (const [name, value] of Object.entries(content.headers ?? {}))
    if (value !== undefined) ServerResponse.prototype.setHeader.call(response, name, value)
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', CACHE_NONE)
  response.setHeader('x-content-type-options', 'nosniff')
  const { screenPolicy = SCREEN_POLICY } = content
  if (form === 'document' && content.document === undefined && screenPolicy)
    response.setHeader(screenPolicy.name, screenPolicy.value)
  const body = bodyOf(form, content)
  response.setHeader('content-type', TYPES[form])
  response.setHeader('content-length', Buffer.byteLength(body))
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

function bodyOf(form: ErrorForm, content: ErrorContent): string {
  const { code, digest, details } = content
  const { status, text } = ERROR_CATALOGUE[code]
  const title = errorTitle(status)
  const { message = details ? sizesText(details) : text } = content
  switch (form) {
    case 'data':
      return JSON.stringify({ error: { status, title, code, message, digest, ...details } } satisfies ErrorBody)
    case 'document':
      return content.document ?? errorDocument(status, message ?? title, content)
    case 'file':
      return `${status} ${message ?? title}\n`
  }
}

/** Rounded away from each other: the size is above the limit in the text, too. */
function sizesText({ limit, received }: NonNullable<ErrorContent['details']>): string {
  return `The content is too large: ${sizeText(received, Math.ceil)}. The limit is ${sizeText(limit, Math.floor)}.`
}

function sizeText(bytes: number, round: (value: number) => number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const [unit, unitBytes] = bytes < 1024 * 1024 ? ['KB', 1024] : ['MB', 1024 * 1024]
  return `${round((bytes / unitBytes) * 10) / 10} ${unit}`
}

/** The default screen (E1, E2, E4) as a whole document without scripts. */
function errorDocument(status: number, message: string, { digest, issues = [] }: ErrorContent): string {
  const title = status === 404 ? NOT_FOUND_TEXT : errorTitle(status)
  const text = status === 404 ? NOT_FOUND_TEXT : status === 500 ? SERVER_EXCEPTION_TEXT : message
  const items = issues.map(
    ({ path, message }) => `<li>${path === '' ? '' : `<b>${escapeHtml(path)}</b>: `}${escapeHtml(message)}</li>`,
  )
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${status}: ${title}</title><style>${SCREEN_STYLE}</style></head><body><main><h1>${status}</h1><p>${escapeHtml(text)}</p>${digest ? `<p><small>Digest: ${digest}</small></p>` : ''}${items.length > 0 ? `<ul>${items.join('')}</ul>` : ''}</main></body></html>`
}

const SCREEN_STYLE =
  ':root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:1rem/1.5 system-ui,sans-serif}main{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:baseline;padding:2rem;max-width:40rem}h1{font-size:1.5rem;margin:0;font-variant-numeric:tabular-nums}p{margin:0}small{opacity:.7}'

const TYPES: Readonly<Record<ErrorForm, string>> = {
  document: 'text/html; charset=utf-8',
  data: 'application/json; charset=utf-8',
  file: 'text/plain; charset=utf-8',
}
/** For screens that are sent before a build is known. */
const SCREEN_POLICY: PolicyHeader = {
  name: 'content-security-policy',
  value: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
}
const KEPT_HEADERS: ReadonlySet<string> = new Set([
  'x-request-id',
  'connection',
  'allow',
  'retry-after',
  'portico-build',
  INTERNAL_HEADERS.route,
  INTERNAL_HEADERS.resolvedAgain,
  INTERNAL_HEADERS.verdict,
])

/** Refuses an upgrade: its socket has no response object any more. */
export function refuseUpgrade(socket: Duplex, code: ErrorCode): void {
  const { status } = ERROR_CATALOGUE[code]
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/**
 * Turns a thrown value into the content of an error response. A value that is not a ServiceError becomes a 500. A 5xx
 * has a digest and exactly one log line with the same digest and the stack (E4).
 */
export function errorContentOf(thrown: unknown, log: Log, request: IncomingMessage): ErrorContent {
  const content: ErrorContent = thrown instanceof ServiceError ? thrown.content : { code: 'internal' }
  const { code } = content
  const { status } = ERROR_CATALOGUE[code]
  if (status < 500) return content
  if (thrown instanceof ModuleFault) {
    thrown.noteRequest(log)
    return { ...content, digest: thrown.digest }
  }
  const digest = createDigest()
  log.error({ error: thrown, code, digest, status, method: request.method }, 'request failed')
  return { ...content, digest }
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
