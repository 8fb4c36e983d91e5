// Identifiers that join a visitor's screen, an answer and a log line.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { HEADERS } from '../wire/constants.ts'

/** A fresh request id: 16 hex digits. */
export function createRequestId(): string {
  return randomBytes(8).toString('hex')
}

/** A fresh digest: 10 random hex digits that one error screen and one log line share. */
export function createDigest(): string {
  return randomBytes(5).toString('hex')
}

/** The id that the gateway gave a request; a fresh one when it came without (direct calls in tests). */
export function requestIdOf(request: IncomingMessage): string {
  const value = request.headers[HEADERS.requestId]
  return typeof value === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(value) ? value : createRequestId()
}
