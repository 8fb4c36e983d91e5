// The log line of each request, in one format for all services (G7). Never a body, a cookie, a token or a query value.

import type { ServerResponse } from 'node:http'
import { INTERNAL_HEADERS } from '../../wire/constants.ts'
import { whenClosed } from '../when-closed.ts'
import type { Log } from './log.ts'

/** What is known of a request before its response. */
interface LoggedRequest {
  method: string
  /** Without its query. */
  path: string
  requestId: string
}

/** What is known of a request at the end of its response. */
export interface RequestEnd {
  /** 499 when the client closed the connection before a response began. */
  status: number
  ms: number
  /** False when the response broke off, although its status may be a success. An upgraded connection has no end of its own. */
  isComplete: boolean
  /** Code of an error response, from the error catalogue. */
  code?: string | undefined
}

/** A service's own fields of the line; a `reason` makes the line a warning. */
export interface OwnFields {
  reason?: string | undefined
  [name: string]: string | number | boolean | readonly string[] | undefined
}

/** Calls `note` once, when the response is closed. */
export function onRequestEnd(response: ServerResponse, note: (end: RequestEnd) => void): void {
  const startedAt = performance.now()
  whenClosed(response, () =>
    note({
      status: response.headersSent ? response.statusCode : CLIENT_CLOSED,
      ms: performance.now() - startedAt,
      isComplete: response.writableFinished || (response.headersSent && response.statusCode === UPGRADED),
      // sendError sets the header as a string.
      code: response.getHeader(INTERNAL_HEADERS.code) as string | undefined,
    }),
  )
}

const CLIENT_CLOSED = 499
const UPGRADED = 101

/** Writes the line, at `level` unless the service gives a reason. */
export function logRequest(
  log: Log,
  request: LoggedRequest,
  end: RequestEnd,
  own: OwnFields,
  level: 'debug' | 'info' = 'info',
): void {
  const chosen = own.reason === undefined ? level : 'warn'
  if (!log.isLevelEnabled(chosen)) return
  const { method, path, requestId } = request
  const { status, ms, isComplete, code } = end
  const fields: OwnFields = { event: 'request', method, path, status, ms: tenths(ms), requestId }
  if (code !== undefined) fields.code = code
  // pino serialises each name and value by itself: fields without a value are left out here, where that costs less.
  for (const name in own) if (own[name] !== undefined) fields[name] = own[name]
  if (!isComplete) fields.incomplete = true
  log[chosen](fields, 'request')
}

/** Milliseconds as logs and headers show them. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}
