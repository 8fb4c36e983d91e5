// The gateway's own error responses, in the form that the route's client can read (E7), with the headers of every
// response.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorContentOf, sendPublicError } from '@portico/shared/kit/http/error-response.ts'
import type { ErrorCode, ErrorContent } from '@portico/shared/kit/http/errors.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { CACHE_NONE } from '@portico/shared/wire/caching.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { ERROR_CATALOGUE } from '@portico/shared/wire/errors/error-catalogue.ts'
import type { PolicyHeader } from '@portico/shared/wire/policy/content-security-policy.ts'
import { exchangeOf } from '../exchange/exchange.ts'
import type { ClosingConnections } from './closing-connections.ts'
import type { HeadWriter } from './head.ts'

export interface ErrorSender {
  /** Sends an error response of the catalogue. */
  send(request: IncomingMessage, response: ServerResponse, code: ErrorCode, extra?: Partial<ErrorContent>): void
  /** As `send`, and closes the connection: what follows on the connection cannot be trusted. */
  sendAndClose(request: IncomingMessage, response: ServerResponse, code: ErrorCode, extra?: Partial<ErrorContent>): void
  /** Sends the error response of a thrown value; a 5xx has a digest and one log line (E4). */
  sendThrown(request: IncomingMessage, response: ServerResponse, thrown: unknown): void
}

interface ErrorSenderDeps {
  head: HeadWriter
  connections: ClosingConnections
  buildId: string
  /** The policy of the build's table: the gateway decides none (G6). */
  screenPolicy: PolicyHeader | null
  log: Log
}

/** Prepares the sender. */
export function createErrorSender(deps: ErrorSenderDeps): ErrorSender {
  const { head, connections, buildId, screenPolicy, log } = deps
  const write = (request: IncomingMessage, response: ServerResponse, content: ErrorContent) => {
    const exchange = exchangeOf(request)
    const form = exchange.found.route?.errors ?? 'document'
    exchange.notes.code = content.code
    exchange.notes.digest = content.digest
    const { status } = ERROR_CATALOGUE[content.code]
    // Caches must not store an error, whatever a rule says.
    const caching = { by: 'always', text: CACHE_NONE } as const
    const headers = joinRepeated(head.complete(request, { status, headers: [], has: () => false, caching }))
    if (form === 'data') headers[HEADERS.build] = buildId
    sendPublicError(response, form, { screenPolicy, ...content, headers: { ...headers, ...content.headers } })
  }
  const send: ErrorSender['send'] = (request, response, code, extra) => write(request, response, { code, ...extra })
  return {
    send,
    sendAndClose(request, response, code, extra) {
      connections.closeAfter(request, response)
      send(request, response, code, extra)
    },
    sendThrown: (request, response, thrown) => write(request, response, errorContentOf(thrown, log, request)),
  }
}

/** Middleware may set several cookies, and add to Vary. */
function joinRepeated(list: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (let index = 0; index < list.length; index += 2) {
    const name = list[index]!
    const before = headers[name]
    headers[name] = before === undefined ? list[index + 1]! : [before, list[index + 1]!].flat()
  }
  return headers
}
