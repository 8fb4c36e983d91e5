// Identifiers that connect a client's screen, a response and a log line.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { HEADERS } from '../../wire/constants.ts'

const POOL_BYTES = 4096
let pool = ''
let at = 0

/** Random hex digits, from a pool: a system call for each id would cost more than the rest of the id. */
export function randomHex(digits: number): string {
  if (at + digits > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex')
    at = 0
  }
  at += digits
  return pool.slice(at - digits, at)
}

/** A new request id: 16 hex digits. */
export function createRequestId(): string {
  return randomHex(16)
}

/** A new digest: 10 random hex digits on one error screen and in one log line. */
export function createDigest(): string {
  return randomHex(10)
}

/** The request id from the gateway; a new one for a request without (direct calls in tests). */
export function requestIdOf(request: IncomingMessage): string {
  const value = request.headers[HEADERS.requestId]
  return typeof value === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(value) ? value : createRequestId()
}
