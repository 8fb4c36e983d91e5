// The gateway's own error answers, in the form that the route's reader can use (E7), with the headers of every answer.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorContent, type ErrorForm, errorContentOf, sendError } from '../shared/node/error-response.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../shared/node/errors.ts'
import type { Log } from '../shared/node/log.ts'
import { HEADERS } from '../shared/wire/constants.ts'
import type { AnswerHeaders } from './answer-headers.ts'
import type { ClosingConnections } from './closing-connections.ts'
import { exchangeOf } from './exchange.ts'

export interface ErrorSender {
  /** Sends an answer of the catalogue. */
  send(request: IncomingMessage, response: ServerResponse, code: ErrorCode, extra?: Partial<ErrorContent>): void
  /** The same, and the connection ends with it: nothing that follows on it can be trusted. */
  sendAndClose(request: IncomingMessage, response: ServerResponse, code: ErrorCode, extra?: Partial<ErrorContent>): void
  /** Answers for something thrown: a digest and one log line unless it was the request's fault (E4). */
  sendThrown(request: IncomingMessage, response: ServerResponse, thrown: unknown): void
}

export interface ErrorSenderDeps {
  answerHeaders: AnswerHeaders
  connections: ClosingConnections
  buildId: string
  log: Log
}

/** Prepares the sender. */
export function createErrorSender(deps: ErrorSenderDeps): ErrorSender {
  const { answerHeaders, connections, buildId, log } = deps
  const write = (request: IncomingMessage, response: ServerResponse, answer: ErrorContent) => {
    const exchange = exchangeOf(request)
    const form: ErrorForm = exchange.route?.errors ?? 'document'
    const list: string[] = []
    // The error form has a policy of its own, and an error is never kept, whatever a rule says of the path.
    answerHeaders.complete(list, (name) => name === 'cache-control', request)
    const headers: Record<string, string> = {}
    for (let index = 0; index < list.length; index += 2) headers[list[index]!] = list[index + 1]!
    if (form === 'data') headers[HEADERS.build] = buildId
    if (answer.digest !== undefined) exchange.digest = answer.digest
    sendError(response, form, { ...answer, headers: { ...headers, ...answer.headers } })
  }
  const send: ErrorSender['send'] = (request, response, code, extra = {}) => {
    const { status, text } = ERROR_CATALOGUE[code]
    // A not-found screen has its own words (E1).
    write(request, response, { status, ...(status === 404 ? {} : { message: text }), ...extra })
  }
  return {
    send,
    sendAndClose(request, response, code, extra) {
      connections.closeAfter(request, response)
      send(request, response, code, extra)
    },
    sendThrown: (request, response, thrown) => write(request, response, errorContentOf(thrown, log, request)),
  }
}
